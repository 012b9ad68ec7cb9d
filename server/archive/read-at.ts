import type { FileHandle } from 'node:fs/promises';

/** Gives the bytes of a file from `start` to `end`, fewer when it ends before. They are never overwritten. */
export type ReadAt = (start: number, end: number) => Promise<Buffer>;

/** How much a scan reads at once. */
const WINDOW_BYTES = 256 * 1024;

/** Reads from the file at each call. */
export function createReadAt(file: Pick<FileHandle, 'read'>): ReadAt {
  return async (start, end) => {
    const bytes = Buffer.allocUnsafe(Math.max(0, end - start));
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  };
}

/**
 * Reads 256 KiB at a time and answers from there what lies within, for who goes through a file that has ended
 * at `fileBytes`. Without it a scan asks for 64 KiB to see each record of a few hundred bytes.
 */
export function createBufferedReadAt(file: Pick<FileHandle, 'read'>, fileBytes: number): ReadAt {
  const readAt = createReadAt(file);
  let window: Buffer = Buffer.alloc(0);
  let windowStart = 0;
  return async (start, wantedEnd) => {
    const end = Math.min(wantedEnd, fileBytes);
    if (start < windowStart || end > windowStart + window.length) {
      window = await readAt(start, Math.min(Math.max(end, start + WINDOW_BYTES), fileBytes));
      windowStart = start;
    }
    return window.subarray(start - windowStart, Math.max(0, end - windowStart));
  };
}
