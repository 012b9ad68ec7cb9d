import type { AddressBlocks } from '@decorum/policy/address/address-blocks.ts';
import { classifyUrl, type ClassifiedUrl } from '@decorum/policy/url/classify-url.ts';
import { armQueues } from '../store/arm-queues.ts';
import type { Pool, Transaction } from '../store/database.ts';
import { insertPlaces } from '../store/insert-places.ts';
import { loadInstallation } from '../store/load-installation.ts';
import { loadRequestsById } from '../store/load-waiting-requests.ts';
import { rearmQueues } from '../store/rearm-queues.ts';
import { moveRequest, takeTransfers, type Transfer } from '../store/take-transfers.ts';
import { transact } from '../store/transact.ts';
import { endWithoutAttempt } from './end-without-attempt.ts';

const BATCH = 100;

/** What moving stands on. */
export type MoveDeps = {
  readonly pool: Pool;
  readonly exempt: AddressBlocks | undefined;
  readonly wake: () => void;
};

/**
 * Puts redirected requests into the queue of their target, where they wait for its own gates, robots and policy. A target
 * that Submit would refuse ends the request. Answers how many; call again until it is 0.
 */
export async function moveTransfers({ pool, exempt, wake }: MoveDeps): Promise<number> {
  const moved = await transact(pool, async (sql) => {
    const transfers = await takeTransfers(sql, BATCH);
    const targets = transfers.map((transfer) => ({ transfer, url: classifyUrl(transfer.url, { exempt }) }));
    for (const { transfer, url } of targets) {
      if (url.ok) await move(sql, transfer, url);
      else await refuse(sql, transfer, url.reason, url.detail);
    }
    await rearmQueues(
      sql,
      transfers.map(({ site }) => site),
    );
    return transfers.length;
  });
  if (moved > 0) wake();
  return moved;
}

async function move(
  sql: Transaction,
  { requestId, tenantId, band }: Transfer,
  url: ClassifiedUrl,
): Promise<void> {
  const { site, urlHash, urlKey, urlKeyVersion: keyVersion, origin } = url;
  await insertPlaces(sql, [{ ...origin, site }]);
  await armQueues(sql, tenantId, [{ site, origin: origin.origin, band, dueAt: null }]);
  await moveRequest(sql, {
    requestId,
    url: url.url,
    urlHash,
    urlKey,
    keyVersion,
    site,
    origin: origin.origin,
  });
}

async function refuse(
  sql: Transaction,
  { requestId }: Transfer,
  reason: string,
  detail: string,
): Promise<void> {
  const isForbidden = reason === 'ADDRESS_FORBIDDEN';
  await endWithoutAttempt(sql, await loadInstallation(sql), await loadRequestsById(sql, [requestId]), {
    kind: isForbidden ? 'ADDRESS_FORBIDDEN' : 'REDIRECT_LIMIT',
    outcome: isForbidden ? 'ADDRESS_FORBIDDEN' : 'REDIRECTED',
    detail: `the redirect's target is refused: ${detail}`,
  });
}
