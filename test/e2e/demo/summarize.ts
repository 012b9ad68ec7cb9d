import type { MannersVerdict } from '../../support/web/judge-manners.ts';
import type { TenantBooks } from './crawl-as-tenant.ts';

/** What the demo found; `ok` when every promise was kept. */
export type DemoSummary = {
  readonly ok: boolean;
  /** Different pages that were fetched. */
  readonly pages: number;
  readonly bytes: number;
  readonly seconds: number;
  /** Fetches that answered more than one request, and how many requests those answered. */
  readonly coalescedFetches: number;
  readonly coalescedRequests: number;
  readonly robotsRefused: number;
  readonly resultsByTenant: Readonly<Record<string, number>>;
  readonly requestsWithoutResult: number;
  readonly requestsWithTwoResults: number;
  readonly archiveBytes: number;
  /** From the web server's own log. */
  readonly referee: {
    readonly siteConnectionsMax: number;
    readonly addressConnectionsMax: number;
    readonly siteGapMsMin: number;
    readonly addressStartsPerSecondMax: number;
    readonly forbiddenFetches: number;
    readonly voidSecondsShare: number;
  };
  /** The promises that were broken, for people. */
  readonly broken: readonly string[];
};

const VOID_SECONDS_SHARE_MAX = 0.05;

/** Joins the tenants' books with the referee's verdict. */
export function summarize(
  books: readonly TenantBooks[],
  verdict: MannersVerdict,
  measured: { readonly seconds: number; readonly archiveBytes: number; readonly pagesMin: number },
): DemoSummary {
  const answeredBy = new Map<string, number>();
  for (const { captures } of books) {
    for (const [captureId, requests] of captures) {
      answeredBy.set(captureId, (answeredBy.get(captureId) ?? 0) + requests.size);
    }
  }
  const shared = [...answeredBy.values()].filter((requests) => requests > 1);
  const count = (read: (book: TenantBooks) => number) => books.reduce((sum, book) => sum + read(book), 0);
  const summary = {
    pages: answeredBy.size,
    bytes: count(({ bytes }) => bytes),
    seconds: measured.seconds,
    coalescedFetches: shared.length,
    coalescedRequests: shared.reduce((sum, requests) => sum + requests, 0),
    robotsRefused: count(({ kinds }) => kinds.get('ROBOTS_DENIED') ?? 0),
    resultsByTenant: Object.fromEntries(books.map(({ tenantId, results }) => [tenantId, results.size])),
    requestsWithoutResult: count(
      ({ accepted, results }) => [...accepted].filter((id) => !results.has(id)).length,
    ),
    requestsWithTwoResults: count(
      ({ results }) => [...results.values()].filter(({ size }) => size > 1).length,
    ),
    archiveBytes: measured.archiveBytes,
    referee: {
      siteConnectionsMax: verdict.siteConnectionsMax,
      addressConnectionsMax: verdict.addressConnectionsMax,
      siteGapMsMin: verdict.siteGapMsMin ?? 0,
      addressStartsPerSecondMax: verdict.addressStartsPerSecondMax,
      forbiddenFetches: verdict.forbiddenFetches,
      voidSecondsShare: verdict.voidSecondsShare,
    },
  };
  const broken = [
    ...verdict.violations.map(({ label, text }) => `${label}: ${text}`),
    ...(summary.pages < measured.pagesMin ? [`only ${summary.pages} pages were fetched`] : []),
    ...(summary.requestsWithoutResult > 0
      ? [`D1: ${summary.requestsWithoutResult} requests have no result`]
      : []),
    ...(summary.requestsWithTwoResults > 0
      ? [`D1: ${summary.requestsWithTwoResults} requests have two results`]
      : []),
    ...(verdict.voidSecondsShare > VOID_SECONDS_SHARE_MAX
      ? ['the machine was too busy to judge: over 5 % of the seconds are void']
      : []),
  ];
  return { ok: broken.length === 0, ...summary, broken };
}

/** The summary for people. */
export function describeSummary(summary: DemoSummary): string {
  const { referee } = summary;
  const tenants = Object.entries(summary.resultsByTenant).map(([tenant, results]) => `${tenant} ${results}`);
  return [
    '',
    `${summary.pages} pages, ${(summary.bytes / 1e6).toFixed(1)} MB in ${summary.seconds} s; archive ${(summary.archiveBytes / 1e6).toFixed(1)} MB`,
    `results                      ${tenants.join(', ')}`,
    `one fetch for several        ${summary.coalescedFetches} fetches answered ${summary.coalescedRequests} requests`,
    `refused by robots.txt        ${summary.robotsRefused} requests`,
    `requests without a result    ${summary.requestsWithoutResult}`,
    `requests with two results    ${summary.requestsWithTwoResults}`,
    'by the web server’s own log:',
    `  connections to a site      at most ${referee.siteConnectionsMax} (1 allowed)`,
    `  connections to an address  at most ${referee.addressConnectionsMax} (4 allowed)`,
    `  gap between two requests   at least ${referee.siteGapMsMin.toFixed(1)} ms (1,000 asked)`,
    `  starts at an address       at most ${referee.addressStartsPerSecondMax} a second (4 allowed)`,
    `  fetches that robots forbid ${referee.forbiddenFetches}`,
    `  seconds not judged         ${(referee.voidSecondsShare * 100).toFixed(1)} % (5 % allowed)`,
    '',
    summary.ok
      ? 'Every promise was kept.'
      : `Broken promises:\n${summary.broken.map((line) => `  ${line}`).join('\n')}`,
    '',
  ].join('\n');
}
