import { lstat } from 'node:fs/promises';

/** Whether a file or directory is ours and nobody else can write to it. A symbolic link or a missing file is not. */
export async function isOwn(path: string): Promise<boolean> {
  const it = await lstat(path).catch(() => undefined);
  if (it === undefined || it.isSymbolicLink()) return false;
  return it.uid === process.getuid?.() && (it.mode & 0o022) === 0;
}
