import { createHash } from 'node:crypto';

/**
 * A request's id, derived from its tenant, its batch and its place in it, so that a repeated batch finds its rows: a
 * UUIDv8 (RFC 9562 §5.8) whose first 16 bits are the cell.
 */
export function deriveRequestId(cell: number, tenantId: string, batchId: string, index: number): string {
  const hash = createHash('sha256').update(`${tenantId}\0${batchId}\0${index}`).digest();
  hash.writeUInt16BE(cell, 0);
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
