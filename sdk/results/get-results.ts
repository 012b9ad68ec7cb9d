import type { Client } from '@connectrpc/connect';
import type { ResultService } from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import { ResultStatus } from '@decorum/proto/decorum/crawl/v1/result_service_pb.ts';
import type { EnumName } from '../client/enum-names.ts';
import { nameOf } from '../client/enum-names.ts';
import type { ResultSelection } from './read-items.ts';
import { readItems } from './read-items.ts';
import type { Result } from './result.ts';
import { toResult } from './result.ts';

/** What is known: FOUND comes with the result, PENDING has not ended, NOT_FOUND is unknown or past its retention. */
export type ResultAnswer = { readonly status: EnumName<typeof ResultStatus>; readonly result?: Result };

/** Looks results up, in as many calls as it takes; one answer per id or number, in order. */
export async function getResults(
  client: Pick<Client<typeof ResultService>, 'getResults'>,
  selection: ResultSelection,
  signal?: AbortSignal,
): Promise<ResultAnswer[]> {
  const items = await readItems(client, selection, signal);
  return items.map(({ status, result }) => ({
    status: nameOf(ResultStatus, status),
    ...(result !== undefined && { result: toResult(result) }),
  }));
}
