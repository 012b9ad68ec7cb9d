import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** The paths of all `*-cases.json` files directly in `folder`, sorted by name. */
export async function listCaseFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names
    .filter((name) => name.endsWith('-cases.json'))
    .sort()
    .map((name) => path.join(folder, name));
}
