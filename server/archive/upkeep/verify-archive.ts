/**
 * Verifying the archive: every file is read to its end, each member must have its row and each row its member. What is
 * still in motion is no finding but pending: members of a segment that was not searched for orphans yet, the append under
 * way at the end of an open one, and erasures that are ordered and not done.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from '../../store/database.ts';
import { loadErasures, type Erasure } from '../../store/erasures.ts';
import { findUnknownSegments, listSegments, type ListedSegment } from '../../store/list-segments.ts';
import { loadSegmentRows } from '../../store/load-segment-rows.ts';
import { tryLockSegment, type SegmentLock } from '../../store/lock-segment.ts';
import type { Archive } from '../directory-archive.ts';
import { toRecordId } from '../record-id.ts';
import type { MemberRow, SegmentFinding, SegmentVerification } from '../verify-segment.ts';

/** What verifying works with. */
export type VerifyDeps = {
  readonly pool: Pool;
  readonly archive: Pick<Archive, 'verifySegment' | 'listSegmentFiles'>;
};

/** What is wrong with a segment, or with one of its members. */
export type StoredFinding =
  | SegmentFinding
  | { readonly kind: 'file_missing' }
  | { readonly kind: 'file_short'; readonly closedBytes: number; readonly fileBytes: number }
  | { readonly kind: 'file_without_segment' };

/** What verifying found of a segment; it is sound when `findings` is empty. */
export type SegmentReport = {
  readonly segmentId: string;
  /** Members that could be read, `warcinfo` and tombstones among them. */
  readonly members: number;
  readonly fileBytes: number;
  readonly tombstones: number;
  /** Members without a row that may still get one, or will be erased. */
  readonly pending: number;
  readonly findings: readonly StoredFinding[];
};

/**
 * Verifies every segment, or the one that is asked for, each while its lock is held shared; then names files that no
 * segment has. Takes as long as reading the archive takes.
 */
export async function* verifyArchive(
  deps: VerifyDeps,
  signal: AbortSignal,
  only?: string,
): AsyncGenerator<SegmentReport, void> {
  // Before the rows: a segment has its row before its file.
  const files = only === undefined ? await deps.archive.listSegmentFiles() : [];
  for await (const { segmentId } of listSegments(deps.pool, only)) {
    signal.throwIfAborted();
    yield await verifyStored(deps, segmentId, signal);
  }
  for (const segmentId of await findUnknownSegments(deps.pool, files)) {
    yield { ...EMPTY, segmentId, findings: [{ kind: 'file_without_segment' }] };
  }
}

const EMPTY = { members: 0, fileBytes: 0, tombstones: 0, pending: 0 };
const LOCK_WAIT_MS = 100;

async function verifyStored(
  { pool, archive }: VerifyDeps,
  segmentId: string,
  signal: AbortSignal,
): Promise<SegmentReport> {
  await using held = new AsyncDisposableStack();
  held.use(await lockShared(pool, segmentId, signal));
  // In this order: what a Complete names after the rows were read is pending.
  const { value: segment } = await listSegments(pool, segmentId).next();
  if (segment === undefined) return { ...EMPTY, segmentId, findings: [] };
  const erasures = await loadErasures(pool, segmentId);
  const rows = await loadRows(pool, segmentId, erasures);
  const read = await archive.verifySegment(segmentId, rows).catch(nullWhenMissing);
  if (read === null) {
    const isExpected = segment.state === 'open' && rows.length === 0;
    return { ...EMPTY, segmentId, findings: isExpected ? [] : [{ kind: 'file_missing' }] };
  }
  const { members, fileBytes } = read;
  const findings = read.findings.filter((finding) => !isPending(finding, segment, rows, erasures));
  return {
    ...{ segmentId, members, fileBytes },
    tombstones: erasures.filter(({ isDone }) => isDone).length,
    pending: read.findings.length - findings.length,
    findings: [...findings, ...judgeLength(segment, fileBytes)],
  };
}

async function lockShared(pool: Pool, segmentId: string, signal: AbortSignal): Promise<SegmentLock> {
  for (;;) {
    const lock = await tryLockSegment(pool, segmentId, 'shared');
    if (lock !== undefined) return lock;
    await sleep(LOCK_WAIT_MS, undefined, { signal });
  }
}

/** What has to lie in the file: the members that rows name, or the tombstones in their place. */
async function loadRows(pool: Pool, segmentId: string, erasures: readonly Erasure[]): Promise<MemberRow[]> {
  const erased = new Set(erasures.map(({ offset }) => offset));
  const named = (await loadSegmentRows(pool, segmentId)).filter(({ offset }) => !erased.has(offset));
  return [
    ...named.map(({ offset, length, captureId, recordType }) => ({
      ...{ offset, length },
      recordId: toRecordId(captureId, recordType),
    })),
    ...erasures.map(({ offset, length, recordId }) => ({ offset, length, recordId })),
  ];
}

function isPending(
  finding: SegmentFinding,
  segment: ListedSegment,
  rows: readonly MemberRow[],
  erasures: readonly Erasure[],
): boolean {
  const offset = 'offset' in finding ? finding.offset : finding.row.offset;
  const isBeingErased = erasures.some(
    (erasure) => !erasure.isDone && offset >= erasure.offset && offset < erasure.offset + erasure.length,
  );
  if (isBeingErased) return true;
  if (finding.kind === 'member_without_row') return !segment.isSettled;
  if (finding.kind !== 'damage' || segment.state !== 'open') return false;
  return rows.every((row) => row.offset + row.length <= offset);
}

function judgeLength({ bytes }: ListedSegment, fileBytes: number): StoredFinding[] {
  const closedBytes = Number(bytes ?? 0n);
  return fileBytes < closedBytes ? [{ kind: 'file_short', closedBytes, fileBytes }] : [];
}

function nullWhenMissing(error: unknown): SegmentVerification | null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
