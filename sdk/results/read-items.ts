import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@connectrpc/connect';
import type { ResultItem, ResultService } from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import { isLasting, toDecorumError } from '../client/decorum-error.ts';
import type { LaneName } from './lane.ts';
import { toLane } from './lane.ts';

/** Which results: by request ids, or by numbers of a lane; of the present stream unless cell and generation are given. */
export type ResultSelection =
  | { readonly requestIds: readonly string[] }
  | {
      readonly lane: LaneName;
      readonly numbers: readonly number[];
      readonly cell?: number | undefined;
      readonly generation?: number | undefined;
    };

type GetResultsClient = Pick<Client<typeof ResultService>, 'getResults'>;

/** Whole results with their texts can be large: this many pages of usual size fit into one answer. */
const ITEMS_A_CALL = 100;
const PAUSE_MS = 500;
const PAUSE_MS_MAX = 15_000;

/** Reads results in as many calls as it takes; one item per id or number, in order. */
export async function readItems(
  client: GetResultsClient,
  selection: ResultSelection,
  signal?: AbortSignal,
): Promise<ResultItem[]> {
  const items: ResultItem[] = [];
  for (let from = 0; from < countOf(selection); from += ITEMS_A_CALL) {
    items.push(...(await readSome(client, slice(selection, from, from + ITEMS_A_CALL), signal)));
  }
  return items;
}

/** The same, for as long as it takes: while the platform is away it is asked again until the signal is aborted. */
export async function readItemsPatiently(
  client: GetResultsClient,
  selection: ResultSelection,
  signal: AbortSignal,
): Promise<ResultItem[]> {
  for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    try {
      return await readItems(client, selection, signal);
    } catch (thrown) {
      const error = toDecorumError(thrown);
      if (signal.aborted || isLasting(error)) throw error;
      await sleep(error.retryAfterMs ?? pauseMs, undefined, { signal });
    }
  }
}

/** One call; an answer that is too large for one message is asked for in halves. */
async function readSome(
  client: GetResultsClient,
  selection: ResultSelection,
  signal: AbortSignal | undefined,
): Promise<ResultItem[]> {
  try {
    return (await client.getResults(toRequest(selection), { ...(signal && { signal }) })).items;
  } catch (thrown) {
    const error = toDecorumError(thrown);
    const count = countOf(selection);
    const isTooLarge = error.code === 'resource_exhausted' && error.retryAfterMs === undefined;
    if (!isTooLarge || count === 1) throw error;
    const half = Math.ceil(count / 2);
    const first = await readSome(client, slice(selection, 0, half), signal);
    return [...first, ...(await readSome(client, slice(selection, half, count), signal))];
  }
}

function countOf(selection: ResultSelection): number {
  return 'requestIds' in selection ? selection.requestIds.length : selection.numbers.length;
}

function slice(selection: ResultSelection, from: number, to: number): ResultSelection {
  if ('requestIds' in selection) return { requestIds: selection.requestIds.slice(from, to) };
  return { ...selection, numbers: selection.numbers.slice(from, to) };
}

function toRequest(selection: ResultSelection) {
  if ('requestIds' in selection) return { requestIds: [...selection.requestIds] };
  const { lane, numbers, cell, generation } = selection;
  return {
    lane: toLane(lane),
    numbers: numbers.map(BigInt),
    ...(cell !== undefined && { cell }),
    ...(generation !== undefined && { generation }),
  };
}
