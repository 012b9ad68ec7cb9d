/**
 * The publisher: gives results their numbers and tells of them through the broker.
 *
 * Flow: a loop per lane, so that urgent results never wait behind bulk. Each pass takes a few streams that have work, all
 * tenants in one statement, and works on them side by side: number and commit, publish with policy held still, record what
 * the broker acknowledged, give the stream back. A third loop compares each stream with the broker's every minute, and all
 * of them when the connection is new.
 *
 * States of a stream: free, or taken by one publisher until a lease is over. The lease saves work and nothing more: numbers
 * are given under the lock of the stream's row, and the broker refuses a number that does not follow its last one, so that
 * a publisher that was frozen and thawed changes nothing.
 *
 * While the broker is out of reach, results are numbered and wait. Trouble is logged when it begins.
 */
import type { Meter } from '@opentelemetry/api';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { claimResultStreams } from '../store/claim-result-streams.ts';
import { claimUncomparedStreams } from '../store/claim-uncompared-streams.ts';
import type { Pool } from '../store/database.ts';
import { releaseResultStream } from '../store/release-result-stream.ts';
import type { ResultLane, ResultStreamKey } from '../store/result-stream-key.ts';
import type { Broker } from './broker.ts';
import { careForStream } from './care-for-stream.ts';
import { createWaker } from './create-waker.ts';
import { createTroubleLog } from './create-trouble-log.ts';
import type { StreamRepair } from './decide-stream-repair.ts';
import { numberBatch, publishBatch } from './publish-batch.ts';
import { streamNameOf } from './stream-name.ts';

/** A running publisher. Disposing it ends it after the batches that run. */
export type Publisher = AsyncDisposable & {
  /** Says that there may be results to publish; without it they are found within 200 ms. */
  readonly wake: () => void;
};

/** What a publisher stands on. */
export type PublisherDeps = {
  readonly pool: Pool;
  readonly broker: Broker;
  /** Unlike every other publisher's. */
  readonly publisherId: string;
  readonly logger: Logger;
  readonly meter: Meter;
  readonly clock: Pick<Clock, 'monotonicMs'>;
};

/** Results of other processes are noticed after this at the latest. */
const POLL_MS = 200;

/** Longer than a batch may take: only a publisher that died loses a stream. */
const LEASE_MS = 10_000;

/** A stream that could not be published is left alone for so long. */
const RETRY_MS = 1_000;

/** Streams worked on at a time: each holds a connection to Postgres while it waits for the broker. */
const STREAMS_MAX: Readonly<Record<ResultLane, number>> = { urgent: 2, bulk: 3 };

const CARE_POLL_MS = 1_000;
const CARE_MS = 60_000;
const CARE_STREAMS_MAX = 20;

/** Starts publishing the results of all tenants. Several publishers may run, in one process or in many. */
export function startPublisher(deps: PublisherDeps): Publisher {
  const stopping = new AbortController();
  const { signal } = stopping;
  const work = createStreamWork(deps);
  const wakers = { urgent: createWaker(), bulk: createWaker(), care: createWaker() };

  const publishLane = (lane: ResultLane) => async (): Promise<boolean> => {
    const claimed = await claimResultStreams(deps.pool, {
      ...{ lane, publisher: deps.publisherId, leaseMs: LEASE_MS, streamsMax: STREAMS_MAX[lane] },
      withUnpublished: deps.broker.isOnline(),
    });
    await Promise.all(claimed.map(work.publish));
    return claimed.length > 0;
  };
  const loops = [
    runLoop(
      deps.logger,
      'publication',
      publishLane('urgent'),
      () => wakers.urgent.wait(POLL_MS, signal),
      signal,
    ),
    runLoop(deps.logger, 'publication', publishLane('bulk'), () => wakers.bulk.wait(POLL_MS, signal), signal),
    runLoop(
      deps.logger,
      'care',
      createCare(deps, work),
      () => wakers.care.wait(CARE_POLL_MS, signal),
      signal,
    ),
  ];
  return {
    wake() {
      wakers.urgent.wake();
      wakers.bulk.wake();
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

type StreamWork = Readonly<Record<'publish' | 'care', (key: ResultStreamKey) => Promise<void>>>;

/** One turn at a stream that was taken. Gives it back whatever happens, and never throws. */
function createStreamWork({
  pool,
  broker,
  publisherId: publisher,
  logger,
  meter,
  clock,
}: PublisherDeps): StreamWork {
  const { published, repaired } = createCounters(meter);
  const batch = { pool, broker, publisher };
  const trouble = createTroubleLog({ logger, clock });

  const turn = async (key: ResultStreamKey, work: () => Promise<unknown>): Promise<void> => {
    const problem = await work().catch((error: unknown) => error);
    // The broker logs its own outages.
    if (problem !== undefined && broker.isOnline()) trouble.begin(streamNameOf(key), problem);
    const afterMs = problem === undefined ? 0 : RETRY_MS;
    await releaseResultStream(pool, key, publisher, afterMs).catch(() => undefined);
  };
  const care = async (key: ResultStreamKey): Promise<StreamRepair> => {
    const repair = await careForStream({ ...batch, logger }, key);
    if (repair.kind !== 'none') repaired.add(1, { repair: repair.kind });
    return repair;
  };
  return {
    publish: (key) =>
      turn(key, async () => {
        await numberBatch(batch, key);
        if (!broker.isOnline()) return undefined;
        const { problem, count } = await publishBatch(batch, key);
        published.add(count, { lane: key.lane });
        if (problem === undefined || count > 0) trouble.end(streamNameOf(key));
        if (problem === undefined) return undefined;
        const { kind } = await care(key);
        return kind === 'none' || kind === 'foreign' ? problem : undefined;
      }),
    care: (key) =>
      turn(key, async () => {
        await care(key);
        return undefined;
      }),
  };
}

function createCounters(meter: Meter) {
  return {
    published: meter.createCounter('decorum.results.published', {
      description: 'Notices acknowledged by the broker',
    }),
    repaired: meter.createCounter('decorum.results.repaired', {
      description: 'Streams of the broker that differed from the record, by what was done',
    }),
  };
}

function createCare({ pool, broker, publisherId: publisher, clock }: PublisherDeps, work: StreamWork) {
  let connections = 0;
  let connectedAtMs = clock.monotonicMs();
  return async (): Promise<boolean> => {
    if (!broker.isOnline()) return false;
    if (broker.connections() !== connections) {
      connections = broker.connections();
      connectedAtMs = clock.monotonicMs();
    }
    const claimed = await claimUncomparedStreams(pool, {
      ...{ publisher, leaseMs: LEASE_MS, streamsMax: CARE_STREAMS_MAX },
      afterMs: Math.min(CARE_MS, clock.monotonicMs() - connectedAtMs),
    });
    for (const key of claimed) await work.care(key);
    return claimed.length === CARE_STREAMS_MAX;
  };
}

/** Repeats a pass at once while it finds work, else after a wait. A store that is out of reach is logged once. */
async function runLoop(
  logger: Logger,
  name: string,
  pass: () => Promise<boolean>,
  wait: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let isFailing = false;
  while (!signal.aborted) {
    try {
      const foundWork = await pass();
      isFailing = false;
      if (foundWork) continue;
    } catch (error) {
      if (!isFailing) logger.warn('results cannot be looked for', { loop: name }, error);
      isFailing = true;
    }
    await wait();
  }
}
