import { createHash } from 'node:crypto';

/** Draws whole numbers from 0 below `bound`, the same row of them for the same key on every machine. */
export function drawBySeed(key: string): (bound: number) => number {
  let block = Buffer.alloc(0);
  let blocks = 0;
  return (bound) => {
    if (block.length < 4) block = createHash('sha256').update(`${key} ${blocks++}`).digest();
    const value = block.readUInt32BE(0);
    block = block.subarray(4);
    return value % bound;
  };
}
