import { createReadStream } from 'node:fs';
import { WARCParser } from 'warcio';

/** A record as the foreign reader sees it. */
export type ForeignRecord = {
  readonly offset: number;
  readonly length: number;
  readonly type: string | undefined;
  readonly recordId: string | null;
  /** The block without an HTTP head. */
  readonly content: Buffer;
};

/** All records of a file, as `warcio` reads them. */
export async function readForeign(file: string): Promise<ForeignRecord[]> {
  const records: ForeignRecord[] = [];
  const parser = new WARCParser(createReadStream(file) as AsyncIterable<Uint8Array>, {
    keepHeadersCase: true,
  });
  for await (const record of parser) {
    const content = Buffer.from(await record.readFully(false));
    const { offset } = parser;
    await record.skipFully();
    const recordId = record.warcHeaders.headers.get('WARC-Record-ID') ?? null;
    records.push({ offset, length: parser.recordLength, type: record.warcType, recordId, content });
  }
  return records;
}
