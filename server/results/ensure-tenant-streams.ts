import type { Logger } from '../runtime/logger.ts';
import type { Pool } from '../store/database.ts';
import { loadInstallation, type Installation } from '../store/load-installation.ts';
import { lockResultStream } from '../store/lock-result-stream.ts';
import type { ResultStreamKey } from '../store/result-stream-key.ts';
import { transact, withStore } from '../store/transact.ts';
import type { Broker } from './broker.ts';
import { compareStream } from './compare-stream.ts';
import { findStream } from './find-stream.ts';
import { createTenantAccount } from './nats/create-tenant-account.ts';
import { deriveAccountKey } from './nats/derive-account-key.ts';
import { lookupAccountImports } from './nats/lookup-account.ts';
import { streamServices } from './nats/result-subjects.ts';
import { streamNameOf } from './stream-name.ts';

/** What giving a tenant its place at the broker needs. */
export type TenantStreamDeps = {
  readonly pool: Pool;
  readonly broker: Broker;
  readonly logger: Logger;
  readonly wallMs: () => number;
};

/**
 * Makes what a tenant needs at the broker and lacks: its account, and the streams of its lanes in the present generation.
 * Idempotent. Throws `unavailable` (RESULTS_UNAVAILABLE) when the broker cannot be reached; opening results makes it then.
 */
export async function ensureTenantStreams(deps: TenantStreamDeps, tenantId: string): Promise<void> {
  const keys = presentStreams(tenantId, await withStore(() => loadInstallation(deps.pool)));
  await ensureAccount(deps, tenantId, keys.map(streamNameOf));
  for (const key of keys) await ensureStream(deps, key);
}

/** The streams that a tenant's results go to now. */
export function presentStreams(
  tenantId: string,
  { cell, generation }: Pick<Installation, 'cell' | 'generation'>,
): readonly ResultStreamKey[] {
  return (['urgent', 'bulk'] as const).map((lane) => ({ tenantId, lane, cell, generation }));
}

/** An account is pushed only when it differs: a push takes the imports of connected clients away for a moment. */
async function ensureAccount(
  { broker, wallMs }: TenantStreamDeps,
  tenantId: string,
  streams: readonly string[],
): Promise<void> {
  const { operatorSeed, platformSeed } = broker.access;
  const wanted = streams.flatMap(streamServices).map(({ subject }) => subject);
  await broker.useSystem(async (system) => {
    const account = deriveAccountKey(operatorSeed, tenantId).getPublicKey();
    const imported = await lookupAccountImports(system, account);
    if (imported?.toSorted().join() === wanted.toSorted().join()) return;
    await createTenantAccount({ system, operatorSeed, platformSeed, nowMs: wallMs }, tenantId, streams);
  });
}

async function ensureStream({ pool, broker, logger }: TenantStreamDeps, key: ResultStreamKey): Promise<void> {
  await broker.useJetStream(async ({ manager }) => {
    if ((await findStream(manager, streamNameOf(key))) !== undefined) return;
    await transact(pool, async (sql) => {
      await compareStream({ manager, logger }, sql, key, await lockResultStream(sql, key));
    });
  });
}
