import { open, stat } from 'node:fs/promises';

/** Enough for the last few lines of a server that gives up. */
const TAIL_BYTES = 2000;

/** The end of what was written to a log after `from` bytes: what a service said before it gave up. Empty when there is no log. */
export async function readLogTail(logFile: string, from: number): Promise<string> {
  const size = await logSize(logFile);
  if (size <= from) return '';
  await using log = await open(logFile, 'r');
  const start = Math.max(from, size - TAIL_BYTES);
  const { buffer, bytesRead } = await log.read(Buffer.alloc(size - start), 0, size - start, start);
  return buffer.toString('utf8', 0, bytesRead).trim();
}

/** Bytes in a log; 0 when there is none. */
export async function logSize(logFile: string): Promise<number> {
  return stat(logFile).then(
    ({ size }) => size,
    () => 0,
  );
}
