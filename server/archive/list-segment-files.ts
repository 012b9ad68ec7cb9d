import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isUuid } from './record-id.ts';

const SUFFIX = '.warc.gz';

/** The ids of all segments that have a file below the archive's directory; none when it does not exist. */
export async function listSegmentFiles(dir: string): Promise<string[]> {
  const root = join(dir, 'segments');
  const ids: string[] = [];
  for (const shard of await namesIn(root)) {
    for (const name of await namesIn(join(root, shard))) {
      const id = name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : '';
      if (isUuid(id)) ids.push(id);
    }
  }
  return ids;
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return [];
    throw error;
  }
}
