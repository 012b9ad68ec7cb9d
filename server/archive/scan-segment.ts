import { createHash, type Hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { formatDigest, type DigestAlgorithm } from '@decorum/policy/digest/format-digest.ts';
import { ArchiveDamageError, type DamageKind } from './archive-damage.ts';
import { inflateMember } from './inflate-member.ts';
import { createBufferedReadAt, type ReadAt } from './read-at.ts';
import { readRecord, type RecordReading } from './read-record.ts';
import { getWarcField, type WarcHeader } from './warc-header.ts';

/**
 * What a scan meets. A `damaged` member has an end, and the scan goes on behind it; `header` is null when it
 * could not be read. An `unreadable` one has none, and is the last thing the scan yields.
 */
export type ScannedMember =
  | { state: 'whole'; offset: number; length: number; header: WarcHeader }
  | {
      state: 'damaged';
      damage: DamageKind;
      detail: string;
      offset: number;
      length: number;
      header: WarcHeader | null;
    }
  | { state: 'unreadable'; damage: DamageKind; detail: string; offset: number };

/**
 * Reads a segment's file from `from` (default: its beginning) to the end that it has now, member by member,
 * each to its last byte: gzip checksum, record structure, block and payload digests. Holds no more than a few
 * buffers, whatever the length of a record. Rejects only with errors of the file.
 */
export async function* scanSegment(input: {
  file: string;
  from?: number;
}): AsyncGenerator<ScannedMember, void> {
  const file = await open(input.file, 'r');
  try {
    const { size } = await file.stat();
    const readAt = createBufferedReadAt(file, size);
    for (let offset = input.from ?? 0; offset < size;) {
      const member = await scanMember(readAt, offset, size);
      yield member;
      if (member.state === 'unreadable') return;
      offset += member.length;
    }
  } finally {
    await file.close();
  }
}

async function scanMember(readAt: ReadAt, offset: number, limit: number): Promise<ScannedMember> {
  let end = offset;
  let header: WarcHeader | null = null;
  const content = readWhole();

  async function* readWhole(): AsyncGenerator<Uint8Array, number> {
    end = yield* inflateMember(readAt, offset, limit);
    return end;
  }

  try {
    const record = await readRecord(content, offset);
    header = record.header;
    const mismatch = await findDigestMismatch(record);
    if (mismatch === null) return { state: 'whole', offset, length: end - offset, header };
    const detail = `${mismatch} is not that of the content`;
    return { state: 'damaged', damage: 'digest_mismatch', detail, offset, length: end - offset, header };
  } catch (error) {
    if (!(error instanceof ArchiveDamageError)) throw error;
    if (error.kind !== 'bad_record') return toUnreadable(error);
    return await endDamaged(content, { error, header, offset, getEnd: () => end });
  } finally {
    await content.return(0);
  }
}

/** Reads a member whose record is damaged to its end, to learn where the next one begins. */
async function endDamaged(
  content: AsyncGenerator<Uint8Array, number>,
  found: { error: ArchiveDamageError; header: WarcHeader | null; offset: number; getEnd: () => number },
): Promise<ScannedMember> {
  const { error, header, offset } = found;
  try {
    let result = await content.next();
    while (result.done !== true) result = await content.next();
  } catch (inner) {
    if (!(inner instanceof ArchiveDamageError)) throw inner;
    return toUnreadable(inner);
  }
  const length = found.getEnd() - offset;
  return { state: 'damaged', damage: error.kind, detail: error.message, offset, length, header };
}

function toUnreadable(error: ArchiveDamageError): ScannedMember {
  return { state: 'unreadable', damage: error.kind, detail: error.message, offset: error.offset };
}

/**
 * The name of the field whose digest the content does not have, or null. Digests of other algorithms than
 * ours are not judged, nor is a revisit's payload, which lies elsewhere.
 */
async function findDigestMismatch(record: RecordReading): Promise<string | null> {
  const block = createChecker(record.header, 'WARC-Block-Digest');
  const isRevisit = getWarcField(record.header, 'WARC-Type') === 'revisit';
  const payload = isRevisit ? null : createChecker(record.header, 'WARC-Payload-Digest');
  if (record.httpHead !== null) block?.hash.update(record.httpHead);
  for await (const chunk of record.body) {
    block?.hash.update(chunk);
    payload?.hash.update(chunk);
  }
  return [block, payload].find((checker) => checker?.matches() === false)?.name ?? null;
}

type DigestChecker = { name: string; hash: Hash; matches: () => boolean };

function createChecker(header: WarcHeader, name: string): DigestChecker | null {
  const expected = getWarcField(header, name);
  const algorithm: DigestAlgorithm | undefined = (['sha1', 'sha256'] as const).find((candidate) =>
    expected?.startsWith(`${candidate}:`),
  );
  if (algorithm === undefined) return null;
  const hash = createHash(algorithm);
  return { name, hash, matches: () => formatDigest(algorithm, hash.digest()) === expected };
}
