import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ServiceUser } from './service-user.ts';

/**
 * Whether a user may enter a directory by its path: the search permission of the directory and of everything above it. A path
 * that does not exist is not reachable. Access control lists are not looked at; with them the answer can be wrong.
 */
export async function isReachable(user: ServiceUser, directory: string): Promise<boolean> {
  for (let path = directory; ; path = dirname(path)) {
    if (!(await maySearch(user, path))) return false;
    if (path === dirname(path)) return true;
  }
}

async function maySearch({ uid, gid }: ServiceUser, path: string): Promise<boolean> {
  try {
    const of = await stat(path);
    const bit = of.uid === uid ? 0o100 : of.gid === gid ? 0o010 : 0o001;
    return of.isDirectory() && (of.mode & bit) !== 0;
  } catch {
    return false;
  }
}
