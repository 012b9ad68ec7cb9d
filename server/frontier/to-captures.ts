import { COLLAPSE_RULES_VERSION } from '@decorum/policy/url/collapse-url.ts';
import { urlHash } from '@decorum/policy/url/url-hash.ts';
import { urlKey } from '@decorum/policy/url/url-key.ts';
import type { NewCapture } from '../store/insert-captures.ts';
import type { AttemptReport } from './attempt-report.ts';
import type { HeldReport } from './complete.ts';

/** The captures of reports, complete with what their leases know (L4). */
export function toCaptures(held: readonly HeldReport[], policyVersion: bigint): NewCapture[] {
  return held.flatMap(({ report, lease }) =>
    report.attempts.flatMap((attempt) => {
      const { capture } = attempt;
      const url = leasedUrl(lease, attempt);
      if (capture === undefined || url === undefined) return [];
      return [
        {
          ...capture,
          url,
          urlHash: urlHash(url),
          urlKey: urlKey(url),
          keyVersion: COLLAPSE_RULES_VERSION,
          site: lease.site,
          workerId: lease.workerId,
          startedAgoMs: startedAgoMs(attempt),
          address: lease.address,
          policyVersion,
          ledFromCaptureId: null,
        },
      ];
    }),
  );
}

/** The URL that a lease names for an attempt; undefined when the attempt is at something else. */
export function leasedUrl(lease: HeldReport['lease'], { requestId }: AttemptReport): string | undefined {
  return lease.urls[lease.requestIds.indexOf(requestId)];
}

/** Milliseconds from the start of an attempt until now. */
export function startedAgoMs({ endedAgoMs, totalMs }: AttemptReport): number {
  return endedAgoMs + (totalMs ?? 0);
}
