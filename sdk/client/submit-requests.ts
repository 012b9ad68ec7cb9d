import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { durationMs } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import type { CrawlService } from '@decorum/proto/decorum/crawl/v1/crawl_service_pb.ts';
import type { SubmitOutcome as OutcomeMessage } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import { RefusalReason, SubmitStatus } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import { batchUp } from './batch-up.ts';
import type { DecorumErrorCode } from './decorum-error.ts';
import { DecorumError, toDecorumError } from './decorum-error.ts';
import type { EnumName, GivenName } from './enum-names.ts';
import { givenNameOf, nameOf } from './enum-names.ts';
import type { FetchInput } from './fetch-input.ts';
import { toFetchRequest } from './fetch-input.ts';

/** What a caller may say about a submission. */
export type SubmitOptions = {
  readonly signal?: AbortSignal | undefined;
  /** URLs a call, 1 to 1,000. Default 1,000. */
  readonly batchSize?: number | undefined;
  /** A slow source's URLs wait no longer than this to be sent, in milliseconds. Default 50. */
  readonly lingerMs?: number | undefined;
  /** How long a batch is tried anew while the platform can't take it, in milliseconds. Default 5 minutes. */
  readonly patienceMs?: number | undefined;
  /** Be patient only where the platform asks for it. Default: the client's `failFast`. */
  readonly failFast?: boolean | undefined;
};

/** What became of one URL. */
export type SubmitOutcome = {
  /** Its place in what was submitted, from 0. */
  readonly index: number;
  readonly url: string;
  readonly status: EnumName<typeof SubmitStatus>;
  /** Absent when REFUSED or KNOWN. */
  readonly requestId?: string;
  /** Present when REFUSED. */
  readonly refusal?: GivenName<typeof RefusalReason>;
  /** For a person: what was wrong and what to do about it. */
  readonly detail?: string;
  /** The option that was refused, in the proto's spelling. */
  readonly field?: string;
  /** When a refusal may pass. */
  readonly retryAfterMs?: number;
};

const BATCH_COUNT_MAX = 1_000;
/** Far under the transport's limit; 1,000 URLs of 2 KB fit. */
const BATCH_BYTES_MAX = 4 * 2 ** 20;
/** What the options of one URL take at most. */
const OPTIONS_BYTES = 512;
const LINGER_MS = 50;
const PATIENCE_MS = 300_000;
const PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 30_000;
const PASSING: ReadonlySet<DecorumErrorCode> = new Set(['unavailable', 'deadline_exceeded', 'aborted']);

/**
 * Submits `requests` in batches and yields one outcome per URL, in order.
 *
 * Nothing is read or sent ahead of what is taken: a loop that is slow slows the source. Each batch has an id of its own,
 * so that sending it again (a lost answer, a busy or restarting platform) can't submit it twice. Leaving the loop early
 * leaves accepted what the last call had sent.
 */
export async function* submitRequests(
  client: Pick<Client<typeof CrawlService>, 'submit'>,
  requests: Iterable<FetchInput | string> | AsyncIterable<FetchInput | string>,
  options: SubmitOptions = {},
): AsyncGenerator<SubmitOutcome, void, undefined> {
  const limits = {
    countMax: options.batchSize ?? BATCH_COUNT_MAX,
    bytesMax: BATCH_BYTES_MAX,
    lingerMs: options.lingerMs ?? LINGER_MS,
    sizeOf: (input: FetchInput | string) => urlOf(input).length + OPTIONS_BYTES,
  };
  if (!Number.isInteger(limits.countMax) || limits.countMax < 1 || limits.countMax > BATCH_COUNT_MAX) {
    throw new DecorumError({
      code: 'invalid_argument',
      reason: 'INVALID_OPTION',
      field: 'batchSize',
      message: `batchSize must be 1 to ${BATCH_COUNT_MAX}`,
    });
  }
  let index = 0;
  for await (const batch of batchUp(requests, limits)) {
    options.signal?.throwIfAborted();
    const request = { requestId: randomUUID(), requests: batch.map(toFetchRequest) };
    const { outcomes } = await patiently(
      () => client.submit(request, { ...(options.signal && { signal: options.signal }) }),
      options,
    );
    if (outcomes.length !== batch.length) {
      throw new DecorumError({
        code: 'internal',
        reason: 'OUTCOMES_MISSING',
        message: `${batch.length} URLs were answered with ${outcomes.length} outcomes`,
      });
    }
    for (const [i, outcome] of outcomes.entries()) {
      const input = batch[i];
      if (input !== undefined) yield toOutcome(index++, input, outcome);
    }
  }
}

/** Runs `call` again while it fails for want of capacity, up to the caller's patience. */
async function patiently<T>(
  call: () => Promise<T>,
  { patienceMs = PATIENCE_MS, failFast = false, signal }: SubmitOptions,
): Promise<T> {
  const giveUpAt = performance.now() + patienceMs;
  for (let pauseMs = PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    try {
      return await call();
    } catch (thrown) {
      const error = toDecorumError(thrown);
      const waitMs = error.retryAfterMs ?? pauseMs;
      const isAsked =
        error.retryAfterMs !== undefined && (PASSING.has(error.code) || error.code === 'resource_exhausted');
      const passes = isAsked || (!failFast && PASSING.has(error.code));
      if (!passes || performance.now() + waitMs > giveUpAt) throw error;
      await sleep(waitMs, undefined, { ...(signal && { signal }) });
    }
  }
}

function urlOf(input: FetchInput | string): string {
  return typeof input === 'string' ? input : input.url;
}

function toOutcome(index: number, input: FetchInput | string, outcome: OutcomeMessage): SubmitOutcome {
  const refusal = givenNameOf(RefusalReason, outcome.refusal);
  return {
    index,
    url: urlOf(input),
    status: nameOf(SubmitStatus, outcome.status),
    ...(outcome.requestId !== '' && { requestId: outcome.requestId }),
    ...(refusal !== undefined && { refusal }),
    ...(outcome.detail !== '' && { detail: outcome.detail }),
    ...(outcome.field !== '' && { field: outcome.field }),
    ...(outcome.retryAfter !== undefined && { retryAfterMs: durationMs(outcome.retryAfter) }),
  };
}
