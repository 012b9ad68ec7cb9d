import type { ConsumerInfo } from '@nats-io/jetstream';
import type { Pool } from '../store/database.ts';
import { loadInstallation } from '../store/load-installation.ts';
import { loadNumberedThrough } from '../store/load-numbered-through.ts';
import { loadResultGroups, type ResultGroupRow } from '../store/result-groups.ts';
import type { ResultLane, ResultStreamKey } from '../store/result-stream-key.ts';
import { transactAsTenant, withStore } from '../store/transact.ts';
import type { Broker } from './broker.ts';
import { acknowledgedThrough } from './ensure-consumer.ts';
import { presentStreams } from './ensure-tenant-streams.ts';
import { listConsumers } from './list-consumers.ts';
import { streamNameOf } from './stream-name.ts';

/** A consumer group and how far it is. */
export type GroupProgress = {
  readonly group: string;
  readonly lane: ResultLane;
  readonly acknowledgedThrough: bigint;
  readonly deliveredThrough: bigint;
  /** Numbered results that it has not acknowledged. */
  readonly backlog: bigint;
};

/** What groups are looked up in. */
export type GroupDeps = { readonly pool: Pool; readonly broker: Broker };

/** A tenant's groups in the present generation, urgent before bulk, by name. Throws `unavailable` without the broker. */
export async function listGroups(deps: GroupDeps, tenantId: string): Promise<readonly GroupProgress[]> {
  const streams = presentStreams(tenantId, await withStore(() => loadInstallation(deps.pool)));
  const progress = await Promise.all(streams.map((key) => listStreamGroups(deps, key)));
  return progress.flat();
}

async function listStreamGroups({ pool, broker }: GroupDeps, key: ResultStreamKey): Promise<GroupProgress[]> {
  const { groups, numberedThrough } = await transactAsTenant(pool, key.tenantId, async (sql) => ({
    groups: await loadResultGroups(sql, key),
    numberedThrough: await loadNumberedThrough(sql, key),
  }));
  const consumers = await broker.useJetStream(({ manager }) => listConsumers(manager, streamNameOf(key)));
  return groups.map((row) => toProgress(key.lane, row, consumers.get(row.group), numberedThrough));
}

/** A group whose consumer is lost is where it was last seen. */
function toProgress(
  lane: ResultLane,
  row: ResultGroupRow,
  consumer: ConsumerInfo | undefined,
  numberedThrough: bigint,
): GroupProgress {
  const acknowledged = consumer === undefined ? row.acknowledgedThrough : acknowledgedThrough(consumer);
  const delivered = BigInt(consumer?.delivered.stream_seq ?? 0);
  return {
    group: row.group,
    lane,
    acknowledgedThrough: acknowledged,
    deliveredThrough: delivered > acknowledged ? delivered : acknowledged,
    backlog: numberedThrough > acknowledged ? numberedThrough - acknowledged : 0n,
  };
}
