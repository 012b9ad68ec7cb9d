import { copyFile, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { scanSegment } from './scan-segment.ts';
import { syncDirectory } from './sync-directory.ts';

/**
 * Takes over the segment of a writer that is gone: copies its file up to the end of the last good member,
 * makes the copy durable and renames it over the old name. Offsets stay; a writer that was only frozen is left
 * with a file that has no name. Returns the bytes that the file has then.
 *
 * Everything before `keepThrough`, the end of the last member that a row names, is kept unjudged: it was made
 * durable, and damage in it is for verifying to find. Rejects with a RangeError when the file is shorter than
 * that, and with ENOENT when there is none. A crash in the middle leaves the old file as it was; the next try
 * writes over what is left of the copy. The caller holds the segment;
 * `beforeReplace` may still reject when it does not any more.
 */
export async function recoverSegment(input: {
  file: string;
  keepThrough: number;
  beforeReplace?: () => Promise<void>;
}): Promise<{ bytes: number }> {
  const copy = `${input.file}.takeover`;
  // The copy is what is judged: a frozen writer may wake up and write into the file at any moment.
  await copyFile(input.file, copy);
  const bytes = await findLastGoodEnd(copy, input.keepThrough);
  await truncateDurably(copy, bytes);
  await input.beforeReplace?.();
  await rename(copy, input.file);
  await syncDirectory(dirname(input.file));
  return { bytes };
}

async function truncateDurably(file: string, bytes: number): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    if (size < bytes) throw new RangeError(`the file has ${size} bytes, rows name ${bytes}`);
    await handle.truncate(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function findLastGoodEnd(file: string, from: number): Promise<number> {
  let end = from;
  for await (const member of scanSegment({ file, from })) {
    if (member.state !== 'whole') break;
    end = member.offset + member.length;
  }
  return end;
}
