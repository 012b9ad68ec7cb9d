/**
 * One team's crawl: submits seeds, takes results from both lanes, follows links for a while, and keeps its own books: what
 * was accepted, and every result that came for it. The books are what the summary believes, not the platform's counters.
 */
import { connect, type Decorum, type DeliveredResult, type FetchInput } from '@decorum/sdk/index.ts';

/** What a team wants. */
export type TenantPlan = {
  readonly tenantId: string;
  readonly purpose: string;
  readonly seeds: readonly string[];
  /** 0 to 7. */
  readonly band: number;
  /** Follows links to these hosts; none: only the seeds. */
  readonly follow: (host: string) => boolean;
};

/** A team's own record. */
export type TenantBooks = {
  readonly tenantId: string;
  readonly accepted: Set<string>;
  readonly refused: Map<string, number>;
  /** Result numbers by request id and lane; a redelivery has the same number. */
  readonly results: Map<string, Set<string>>;
  readonly kinds: Map<string, number>;
  /** Captures and the requests they answered. */
  readonly captures: Map<string, Set<string>>;
  bytes: number;
};

/** A crawl that runs. */
export type TenantCrawl = {
  readonly books: TenantBooks;
  /** Requests that wait for their result. */
  readonly waiting: () => number;
  /** Takes results until all have come or the signal aborts. */
  readonly finish: (signal: AbortSignal) => Promise<void>;
};

/** The connection and its limits. */
export type CrawlOptions = {
  readonly url: string;
  readonly key: string;
  /** No link is followed after this, on `performance.now()`. */
  readonly followUntilMs: number;
  readonly deadline: Date;
  readonly onError: (error: unknown) => void;
};

/** A team queues no more than so many pages of a site at a time, so that all of them end within the demo. */
const QUEUED_PER_HOST_MAX = 10;

/** Starts a crawl: the seeds are accepted when this resolves. */
export async function crawlAsTenant(plan: TenantPlan, options: CrawlOptions): Promise<TenantCrawl> {
  const crawl = connect({ url: options.url, key: options.key });
  const state: State = {
    plan,
    options,
    crawl,
    known: new Set(),
    queued: new Map(),
    hostOf: new Map(),
    books: {
      tenantId: plan.tenantId,
      accepted: new Set(),
      refused: new Map(),
      results: new Map(),
      kinds: new Map(),
      captures: new Map(),
      bytes: 0,
    },
  };
  const stop = new AbortController();
  const lanes = (['urgent', 'bulk'] as const).map((lane) =>
    takeResults(state, lane, stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) options.onError(error);
    }),
  );
  await submitNew(state, plan.seeds);
  const waiting = () =>
    state.books.accepted.size -
    [...state.books.results.keys()].filter((id) => state.books.accepted.has(id)).length;
  return {
    books: state.books,
    waiting,
    async finish(signal) {
      while (waiting() > 0 && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 100));
      stop.abort();
      await crawl[Symbol.asyncDispose]();
      await Promise.all(lanes);
    },
  };
}

type State = {
  readonly plan: TenantPlan;
  readonly options: CrawlOptions;
  readonly crawl: Decorum;
  readonly known: Set<string>;
  readonly queued: Map<string, number>;
  readonly hostOf: Map<string, string>;
  readonly books: TenantBooks;
};

async function takeResults(state: State, lane: 'urgent' | 'bulk', signal: AbortSignal): Promise<void> {
  for await (const result of state.crawl.results({ group: 'demo', lane, signal })) {
    enter(state, result);
    if (result.document !== undefined && performance.now() < state.options.followUntilMs) {
      await submitNew(state, result.document.links);
    }
    result.ack();
  }
}

function enter({ books, queued, hostOf }: State, result: DeliveredResult): void {
  const numbers = books.results.get(result.requestId) ?? new Set();
  const isFirst = numbers.size === 0;
  numbers.add(`${result.lane}:${result.number}`);
  books.results.set(result.requestId, numbers);
  if (!isFirst) return;
  books.kinds.set(result.kind, (books.kinds.get(result.kind) ?? 0) + 1);
  const host = hostOf.get(result.requestId) ?? '';
  queued.set(host, (queued.get(host) ?? 1) - 1);
  if (result.capture === undefined) return;
  const answered = books.captures.get(result.capture.captureId) ?? new Set();
  books.captures.set(result.capture.captureId, answered.add(result.requestId));
  if (answered.size === 1) books.bytes += result.capture.bodyBytes;
}

async function submitNew(state: State, urls: readonly string[]): Promise<void> {
  const { plan, options, crawl, known, queued, hostOf, books } = state;
  const wanted: FetchInput[] = [];
  for (const url of urls) {
    const host = URL.parse(url)?.hostname ?? '';
    const isSeed = plan.seeds.includes(url);
    if (known.has(url) || (!isSeed && !plan.follow(host))) continue;
    if ((queued.get(host) ?? 0) >= QUEUED_PER_HOST_MAX) continue;
    known.add(url);
    queued.set(host, (queued.get(host) ?? 0) + 1);
    wanted.push({ url, band: plan.band, extract: ['LINKS'], label: 'demo', deadline: options.deadline });
  }
  for await (const outcome of crawl.submit(wanted)) {
    const host = URL.parse(outcome.url)?.hostname ?? '';
    if (outcome.status === 'ACCEPTED' && outcome.requestId !== undefined) {
      books.accepted.add(outcome.requestId);
      hostOf.set(outcome.requestId, host);
    } else {
      queued.set(host, (queued.get(host) ?? 1) - 1);
      const reason = outcome.refusal ?? outcome.status;
      books.refused.set(reason, (books.refused.get(reason) ?? 0) + 1);
    }
  }
}
