import { hash } from 'node:crypto';
import { formatDigest } from '@decorum/policy/digest/format-digest.ts';
import { deflateMember, type GzipMember } from './gzip-member.ts';
import { formatWarcFields, formatWarcHeader, type WarcFields } from './warc-header.ts';

/**
 * Makes the `warcinfo` record that opens a segment (WARC 1.1 §6.2). Its record id is the segment's. `fields`
 * are said beside the format, as `software`, `operator`, `isPartOf`.
 */
export async function buildWarcinfo(input: {
  segmentId: string;
  createdAt: Date;
  fields: WarcFields;
}): Promise<GzipMember> {
  const block = formatWarcFields([
    ['format', 'WARC File Format 1.1'],
    ['conformsTo', 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/'],
    ...input.fields,
  ]);
  const header = formatWarcHeader([
    ['WARC-Type', 'warcinfo'],
    ['WARC-Record-ID', `<urn:uuid:${input.segmentId}>`],
    ['WARC-Date', input.createdAt.toISOString()],
    ['WARC-Filename', `${input.segmentId}.warc.gz`],
    ['WARC-Block-Digest', formatDigest('sha256', hash('sha256', block, 'buffer'))],
    ['Content-Type', 'application/warc-fields'],
    ['Content-Length', String(block.length)],
  ]);
  const bytes = await deflateMember(Buffer.concat([header, block, Buffer.from('\r\n\r\n')]));
  return { recordType: 'warcinfo', recordId: input.segmentId, read: () => [bytes] };
}
