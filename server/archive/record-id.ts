import { hash } from 'node:crypto';

/** The record types of one capture. */
export type CaptureRecordType = 'request' | 'response' | 'revisit' | 'metadata';

/**
 * The UUID in a record's `WARC-Record-ID`, made from its capture's: the response or revisit record bears the
 * capture's own id, so that a member and its row find each other and a revisit's `WARC-Refers-To` needs no
 * look-up; the others get the name-based UUID (RFC 9562 §5.5) of their type under that id. Throws a
 * RangeError when `captureId` is not a lower-case UUID.
 */
export function toRecordId(captureId: string, recordType: CaptureRecordType): string {
  if (!isUuid(captureId)) throw new RangeError('a capture id is a lower-case UUID');
  if (recordType === 'response' || recordType === 'revisit') return captureId;
  const namespace = Buffer.from(captureId.replaceAll('-', ''), 'hex');
  const bytes = hash('sha1', Buffer.concat([namespace, Buffer.from(recordType)]), 'buffer').subarray(0, 16);
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x50;
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Whether the text is a UUID in the lower-case form that our ids have. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}
