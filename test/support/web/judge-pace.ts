import type { Allowance } from './judge-allowance.ts';
import type { RequestEntry } from './web-log.ts';

/** The time between two requests of a site: from an end to the next start, as long as it can have been. */
export type Gap = { ms: number; before: RequestEntry; after: RequestEntry };

/**
 * The gaps of one site's requests, given in order of their starts. A normal end was stamped before the client could
 * see it and a start after it was sent, so a gap is never measured too short; only the close of a client that left
 * is seen late, by the allowance, and not judged at all in a void second.
 */
export function* measureGaps(
  requests: readonly RequestEntry[],
  allowance: Allowance,
  now: number,
): Iterable<Gap> {
  let before: RequestEntry | undefined;
  for (const after of requests) {
    if (before) {
      const end = before.endedAt ?? now;
      const late = before.clientLeft ? allowance.at(end) : 0;
      if (late !== null) yield { ms: after.startedAt - end + late, before, after };
    }
    if (!before || (after.endedAt ?? now) >= (before.endedAt ?? now)) before = after;
  }
}

/** A run of requests at one address and the time that its starts cover, as long as it can have been. */
export type StartRun = { ms: number; requests: RequestEntry[] };

/**
 * Every run of `count` requests that follow each other at one address, given in order of their starts. With n
 * slots of which each starts a request at most every s ms, n + 1 starts cover at least s. Starts are seen late by
 * the allowance; a run that begins in a void second is left out.
 */
export function* measureStartRuns(
  requests: readonly RequestEntry[],
  count: number,
  allowance: Allowance,
): Iterable<StartRun> {
  for (let first = 0; first + count <= requests.length; first++) {
    const run = requests.slice(first, first + count);
    const [begin, end] = [run[0], run.at(-1)];
    if (!begin || !end) continue;
    const late = allowance.at(begin.startedAt);
    if (late !== null) yield { ms: end.startedAt - begin.startedAt + late, requests: run };
  }
}

/** The most requests of an address that started within one second, counting only what surely did. */
export function countStartsPerSecond(requests: readonly RequestEntry[], allowance: Allowance): number {
  let most = Math.min(1, requests.length);
  for (const [first, begin] of requests.entries()) {
    const late = allowance.at(begin.startedAt);
    if (late === null) continue;
    let last = first;
    while ((requests[last + 1]?.startedAt ?? Infinity) - begin.startedAt + late < 1_000) last++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
