import { ArchiveDamageError } from './archive-damage.ts';
import { createByteReader, type ByteReader } from './byte-reader.ts';
import { HTTP_HEAD_BYTES_MAX } from './http-head.ts';
import { getWarcField, parseWarcHeader, type WarcHeader } from './warc-header.ts';

/** A WARC header longer than this is damage. */
export const WARC_HEADER_BYTES_MAX = 64 * 1024;

/** A record whose header and HTTP head were read, and whose body comes as it is asked for. */
export type RecordReading = {
  header: WarcHeader;
  /** The block's length. */
  blockBytes: number;
  /** As stored (`toArchivedHead`); null when the block is empty or no HTTP message. */
  httpHead: Uint8Array | null;
  /**
   * The rest of the block, once. Throws an ArchiveDamageError when the record ends early, goes on behind its
   * block, or turns out to be damaged; only a body read to its end is known to be whole.
   */
  body: AsyncGenerator<Uint8Array, void>;
};

/** Reads the record at the start of a member's content; `offset` is the member's, for errors. */
export async function readRecord(
  content: AsyncGenerator<Uint8Array, number>,
  offset: number,
): Promise<RecordReading> {
  const damage = (detail: string) => new ArchiveDamageError('bad_record', offset, detail);
  const reader = createByteReader(async () => {
    const result = await content.next();
    return result.done === true ? null : result.value;
  });

  const headerBytes = await reader.readHead(WARC_HEADER_BYTES_MAX);
  if (headerBytes === null) throw damage('no WARC header');
  const parsed = parseWarcHeader(headerBytes);
  if (!parsed.ok) throw damage(parsed.problem);
  const contentLength = getWarcField(parsed.header, 'Content-Length') ?? '';
  if (!/^\d{1,15}$/.test(contentLength)) throw damage('no usable Content-Length');
  const blockBytes = Number(contentLength);

  let httpHead: Uint8Array | null = null;
  if (blockBytes > 0 && /^application\/http\b/i.test(getWarcField(parsed.header, 'Content-Type') ?? '')) {
    httpHead = await reader.readHead(Math.min(HTTP_HEAD_BYTES_MAX, blockBytes));
    if (httpHead === null) throw damage('an HTTP block without a head');
  }
  const bodyBytes = blockBytes - (httpHead?.length ?? 0);
  return { header: parsed.header, blockBytes, httpHead, body: readToEnd(reader, bodyBytes, damage) };
}

async function* readToEnd(
  reader: ByteReader,
  bodyBytes: number,
  damage: (detail: string) => Error,
): AsyncGenerator<Uint8Array, void> {
  let left = bodyBytes;
  for await (const chunk of reader.take(bodyBytes)) {
    left -= chunk.length;
    yield chunk;
  }
  if (left > 0) throw damage('a block shorter than its Content-Length');
  const end: Uint8Array[] = [];
  for await (const chunk of reader.take(5)) end.push(chunk);
  if (Buffer.concat(end).toString('latin1') !== '\r\n\r\n')
    throw damage('a record that does not end with its block');
}
