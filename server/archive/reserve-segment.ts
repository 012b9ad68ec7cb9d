import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from './sync-directory.ts';

/**
 * Makes an empty file where a segment's writer never made one, so that it finds the name taken when it wakes up after all.
 * Rejects with EEXIST when it was faster.
 */
export async function reserveSegment(file: string): Promise<void> {
  const shard = dirname(file);
  await mkdir(shard, { recursive: true });
  const handle = await open(file, 'wx', 0o640);
  await handle.close();
  for (const dir of [shard, dirname(shard)]) await syncDirectory(dir);
}
