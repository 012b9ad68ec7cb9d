import { decideDelivery } from '@decorum/policy/optout/decide-delivery.ts';
import { DomainError } from '../runtime/domain-error.ts';
import type { CaptureRow } from '../store/capture-row.ts';
import type { Pool, Transaction } from '../store/database.ts';
import { findResultsByNumber } from '../store/find-results-by-number.ts';
import { findResultsByRequest, type FoundRequest } from '../store/find-results-by-request.ts';
import { findResultsFrom } from '../store/find-results-from.ts';
import type { FoundResult } from '../store/found-result.ts';
import { loadCaptures } from '../store/load-captures.ts';
import { loadInstallation } from '../store/load-installation.ts';
import { loadResults } from '../store/load-results.ts';
import { loadRobotsTokens } from '../store/load-robots-tokens.ts';
import { loadTenant } from '../store/load-tenant.ts';
import { readAsTenant } from '../store/read-as-tenant.ts';
import type { ResultRow } from '../store/result-row.ts';
import type { ResultLane, ResultStreamKey } from '../store/result-stream-key.ts';
import { takeThatFit } from '../store/take-that-fit.ts';

/** A result with the capture that it names, if the tenant may have it. */
export type WholeResult = { readonly result: ResultRow; readonly capture: CaptureRow | undefined };

/** What became of one item that was asked for. */
export type ResultItem =
  ({ readonly status: 'FOUND' } & WholeResult) | { readonly status: 'PENDING' | 'NOT_FOUND' };

/** A stream as a caller names it: default the present cell and generation. */
export type StreamSelection = {
  readonly lane: ResultLane;
  readonly cell: number | undefined;
  readonly generation: number | undefined;
};

/** What is read, and all purposes there are, for the verdicts of captures. */
export type Reading<T> = { readonly read: T; readonly purposes: readonly string[] };

/** What reading stands on. */
export type ReadDeps = { readonly pool: Pool };

/**
 * Reads whole results by their numbers in a lane; one item per number, in order. Throws `quota` (ANSWER_TOO_LARGE) when
 * they do not fit into one answer.
 */
export async function getResultsByNumber(
  { pool }: ReadDeps,
  tenantId: string,
  selection: StreamSelection,
  numbers: readonly bigint[],
): Promise<Reading<readonly ResultItem[]>> {
  return readAsTenant(pool, tenantId, async (sql) => {
    const found = await findResultsByNumber(sql, await toKey(sql, tenantId, selection), numbers);
    return readItems(
      sql,
      tenantId,
      numbers.map((number) => found.get(number)),
    );
  });
}

/** The same by request ids; PENDING for a request that has not ended. */
export async function getResultsByRequest(
  { pool }: ReadDeps,
  tenantId: string,
  requestIds: readonly string[],
): Promise<Reading<readonly ResultItem[]>> {
  return readAsTenant(pool, tenantId, async (sql) => {
    const found = await findResultsByRequest(sql, requestIds);
    return readItems(
      sql,
      tenantId,
      requestIds.map((requestId) => found.get(requestId)),
    );
  });
}

/** Results in the order of their numbers, and where to go on; undefined at the end of what is numbered. */
export type ReplayPage = {
  readonly results: readonly WholeResult[];
  readonly nextNumber: bigint | undefined;
};

/**
 * Reads results from a number on, however long ago they left the stream. Numbers whose retention is over are passed over;
 * a page ends early when its results do not fit into one answer.
 */
export async function replayResults(
  { pool }: ReadDeps,
  tenantId: string,
  selection: StreamSelection,
  { fromNumber, pageSize }: { readonly fromNumber: bigint; readonly pageSize: number },
): Promise<Reading<ReplayPage>> {
  return readAsTenant(pool, tenantId, async (sql) => {
    const key = await toKey(sql, tenantId, selection);
    const found = await findResultsFrom(sql, key, fromNumber, pageSize + 1);
    const page = takeThatFit(found.slice(0, pageSize));
    const nextNumber = found[page.length]?.number ?? undefined;
    const { read, purposes } = await readWhole(sql, tenantId, page);
    return { read: { results: [...read.values()], nextNumber }, purposes };
  });
}

async function toKey(
  sql: Transaction,
  tenantId: string,
  { lane, cell, generation }: StreamSelection,
): Promise<ResultStreamKey> {
  const present = await loadInstallation(sql);
  return { tenantId, lane, cell: cell ?? present.cell, generation: generation ?? present.generation };
}

async function readItems(
  sql: Transaction,
  tenantId: string,
  found: readonly (FoundRequest | undefined)[],
): Promise<Reading<readonly ResultItem[]>> {
  const results = found.filter((item) => item !== undefined && item !== 'pending');
  const fitting = takeThatFit(results);
  if (fitting.length < results.length) throw tooLarge(fitting.length);
  const { read, purposes } = await readWhole(sql, tenantId, results);
  const items = found.map((item): ResultItem => {
    if (item === 'pending') return { status: 'PENDING' };
    const whole = item === undefined ? undefined : read.get(item.resultId);
    return whole === undefined ? { status: 'NOT_FOUND' } : { status: 'FOUND', ...whole };
  });
  return { read: items, purposes };
}

/** By result id, in the order given. L5: a capture that the tenant's purpose may not have is left out, with its document. */
async function readWhole(
  sql: Transaction,
  tenantId: string,
  found: readonly FoundResult[],
): Promise<Reading<ReadonlyMap<bigint, WholeResult>>> {
  const tenant = await loadTenant(sql, tenantId);
  const purposes = (await loadRobotsTokens(sql)).map(({ purpose }) => purpose);
  const results = await loadResults(
    sql,
    found.map(({ resultId }) => resultId),
  );
  const captureIds = [...results.values()].flatMap(({ captureId }) => captureId ?? []);
  const captures = await loadCaptures(sql, [...new Set(captureIds)]);
  const read = new Map<bigint, WholeResult>();
  for (const { resultId } of found) {
    const result = results.get(resultId);
    if (result === undefined) continue;
    const capture = captures.get(result.captureId ?? '');
    const isHeldBack =
      capture !== undefined && decideDelivery(tenant?.purpose ?? '', capture.signals).kind !== 'deliver';
    read.set(
      resultId,
      isHeldBack ? { result: { ...result, document: null }, capture: undefined } : { result, capture },
    );
  }
  return { read, purposes };
}

function tooLarge(itemsMax: number): DomainError {
  return new DomainError({
    kind: 'quota',
    reason: 'ANSWER_TOO_LARGE',
    message: `these results do not fit into one answer; the first ${itemsMax} do`,
    metadata: { subject: 'answer', quota: 'ANSWER_TOO_LARGE', itemsMax: `${itemsMax}` },
  });
}
