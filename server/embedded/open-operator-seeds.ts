import { mkdtemp, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createOperatorSeeds, type OperatorSeeds } from '../results/nats/create-operator-identity.ts';
import { EmbeddedError } from './embedded-error.ts';

/** Paths of the files that hold a NATS operator's secrets, one seed each, mode 0600 in a directory of mode 0700. */
export type OperatorSeedFiles = { operator: string; system: string; platform: string };

/**
 * Reads the operator's seeds in `<home>/keys`, making them on the first start; an interrupted start leaves all of them or none. Throws
 * `DATA_DIR_UNUSABLE` when some are missing: new ones would lock every tenant out of what is stored.
 */
export async function openOperatorSeeds(
  home: string,
): Promise<{ seeds: OperatorSeeds; seedFiles: OperatorSeedFiles }> {
  const dir = join(home, 'keys');
  if ((await stat(dir).catch(() => undefined)) === undefined) {
    const fresh = await mkdtemp(join(home, 'new-keys-'));
    for (const [name, seed] of Object.entries(createOperatorSeeds())) {
      await writeFile(seedFile(fresh, name), `${seed}\n`, { mode: 0o600 });
    }
    await rename(fresh, dir);
  }
  const read = async (name: string): Promise<string> => {
    const file = seedFile(dir, name);
    const text = await readFile(file, 'utf8').catch((cause: unknown) => {
      throw new EmbeddedError('DATA_DIR_UNUSABLE', `${file}, a key of the NATS operator, is missing`, {
        cause,
      });
    });
    return text.trim();
  };
  return {
    seeds: {
      operator: await read('operator'),
      system: await read('system'),
      platform: await read('platform'),
    },
    seedFiles: {
      operator: seedFile(dir, 'operator'),
      system: seedFile(dir, 'system'),
      platform: seedFile(dir, 'platform'),
    },
  };
}

function seedFile(dir: string, name: string): string {
  return join(dir, `${name}.seed`);
}
