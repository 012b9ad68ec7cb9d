import type { FileHandle } from 'node:fs/promises';

/**
 * Writes all bytes at a position, and goes on after short writes. Returns the position behind them. On an
 * error some of the bytes may have been written.
 */
export async function writeAll(
  file: Pick<FileHandle, 'write' | 'writev'>,
  chunks: readonly Uint8Array[],
  position: number,
): Promise<number> {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  if (bytes === 0) return position;
  let written = (await file.writev(chunks, position)).bytesWritten;
  const rest = written < bytes ? Buffer.concat(chunks) : Buffer.alloc(0);
  while (written < bytes) {
    const { bytesWritten } = await file.write(rest, written, bytes - written, position + written);
    if (bytesWritten === 0) throw new Error('the file takes no more bytes');
    written += bytesWritten;
  }
  return position + bytes;
}
