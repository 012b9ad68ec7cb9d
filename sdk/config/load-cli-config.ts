import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SdkConfig } from './load-sdk-config.ts';
import { loadSdkConfig } from './load-sdk-config.ts';

/** What the commands read from their surroundings. */
export type CliConfig = SdkConfig & {
  /** Where a platform that was started here leaves its operator's key. */
  readonly operatorKeyFile: string;
};

/** Reads `DECORUM_URL`, `DECORUM_KEY` and `DECORUM_DATA_DIR` (default `.data`). */
export function loadCliConfig(env: Readonly<Record<string, string | undefined>> = process.env): CliConfig {
  const dataDir = env['DECORUM_DATA_DIR']?.trim();
  return {
    ...loadSdkConfig(env),
    operatorKeyFile: join(dataDir === undefined || dataDir === '' ? '.data' : dataDir, 'operator.key'),
  };
}

/** The key in a file; `undefined` when there is no such file or it may not be read. */
export async function readOperatorKey(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim() === '' ? undefined : text.trim();
}
