import { readAsTenant } from '../../store/read-as-tenant.ts';
import { ArchiveDamageError } from '../archive-damage.ts';
import { decodeContent } from '../decode-content.ts';
import { getHttpFieldValues } from '../http-head.ts';
import type { MemberReading } from '../read-member.ts';
import { toRecordId } from '../record-id.ts';
import { getRecordId } from '../warc-header.ts';
import type { ContentDeps } from './content-deps.ts';
import { withContentErrors } from './content-error.ts';
import { keepChecking } from './keep-checking.ts';
import { locateBody, type BodyLocation } from './locate-body.ts';
import { regroup } from './regroup.ts';

/** How a body is handed out: with its content codings removed, within the bounds of `decodeContent`, or as received. */
export type BodyCoding = 'DECODED' | 'RAW';

/** Which body, how, and for whom. */
export type BodyInput = {
  readonly tenantId: string;
  readonly captureId: string;
  readonly coding: BodyCoding;
};

/**
 * Streams the body of a capture in pieces of at most 256 KiB, also from a segment that is still written to; a revisit gives
 * the body that it points at. Policy is asked at the start and again each MiB or second (L1). What came is right only when
 * the stream ends without an error. Throws `not_found`, `forbidden`, `data_loss` (ARCHIVE_DAMAGED), `failed_precondition`
 * (BODY_NOT_DECODABLE), `unavailable`.
 */
export async function* readBody(deps: ContentDeps, input: BodyInput): AsyncGenerator<Uint8Array, void> {
  const locate = () =>
    readAsTenant(deps.pool, input.tenantId, (sql) => locateBody(sql, input.tenantId, input.captureId));
  const body = openBody(deps, await locate(), input.coding);
  yield* keepChecking(withContentErrors(regroup(body)), locate, deps.clock);
}

/** The stored body, decoded or not. Throws what the archive throws. */
export async function* openBody(
  { archive }: Pick<ContentDeps, 'archive'>,
  { holder, record }: BodyLocation,
  coding: BodyCoding,
): AsyncGenerator<Uint8Array, void> {
  const { segmentId, offset, length } = record;
  const location = { segmentId, offset: Number(offset), length: Number(length) };
  await using member = await archive.readMember(location);
  assertIsResponseOf(holder.captureId, member, location.offset);
  if (coding === 'RAW' || member.httpHead === null) {
    yield* member.body;
    return;
  }
  const contentEncoding = getHttpFieldValues(member.httpHead, 'content-encoding');
  yield* decodeContent({ body: member.body, contentEncoding });
}

/** An index row that leads to another record must never hand out that one. */
function assertIsResponseOf(captureId: string, { header }: MemberReading, offset: number): void {
  if (getRecordId(header) === toRecordId(captureId, 'response')) return;
  throw new ArchiveDamageError('bad_record', offset, 'another record than the index says');
}
