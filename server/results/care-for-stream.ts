import type { JetStreamManager } from '@nats-io/jetstream';
import type { Logger } from '../runtime/logger.ts';
import type { Pool } from '../store/database.ts';
import { lockResultStream } from '../store/lock-result-stream.ts';
import { loadResultGroups, saveAcknowledged } from '../store/result-groups.ts';
import { requestComparison } from '../store/request-comparison.ts';
import type { ResultStreamKey } from '../store/result-stream-key.ts';
import { transact } from '../store/transact.ts';
import type { Broker } from './broker.ts';
import { compareStream } from './compare-stream.ts';
import type { StreamRepair } from './decide-stream-repair.ts';
import { acknowledgedThrough, ensureConsumer } from './ensure-consumer.ts';
import { listConsumers } from './list-consumers.ts';
import { streamNameOf } from './stream-name.ts';

/** What care needs. */
export type CareDeps = {
  readonly pool: Pool;
  readonly broker: Broker;
  readonly publisher: string;
  readonly logger: Logger;
};

/**
 * The share of its bytes above which a stream gives up what all its groups have acknowledged; below, that stays for groups
 * that come later.
 */
const TRIM_SHARE_MIN = 0.5;

async function repairStream(
  { pool, broker, publisher, logger }: CareDeps,
  key: ResultStreamKey,
): Promise<StreamRepair> {
  return transact(pool, async (sql) => {
    const row = await lockResultStream(sql, key);
    if (row.publisher !== publisher) return { kind: 'none' };
    return broker.useJetStream(({ manager }) => compareStream({ manager, logger }, sql, key, row));
  });
}

/**
 * Looks after a stream that this publisher has taken: repairs it, gives lost consumers back to their groups, records how
 * far each group is, and trims what all have acknowledged once it takes much room: acknowledged messages count towards a
 * stream's bytes too.
 */
export async function careForStream(deps: CareDeps, key: ResultStreamKey): Promise<StreamRepair> {
  const repair = await repairStream(deps, key);
  await deps.broker.useJetStream(async ({ manager }) => {
    const floor = await recordGroups(deps.pool, manager, key);
    if (floor !== undefined) await trim(manager, streamNameOf(key), floor);
  });
  return repair;
}

/**
 * Makes consumers and groups agree, and answers the least that any group has acknowledged; undefined without groups. A
 * group is recorded before its consumer is made: a consumer of no group that is read later is left over.
 */
async function recordGroups(
  pool: Pool,
  manager: JetStreamManager,
  key: ResultStreamKey,
): Promise<bigint | undefined> {
  const stream = streamNameOf(key);
  const consumers = await listConsumers(manager, stream);
  const groups = await loadResultGroups(pool, key);
  const leftOver = [...consumers.keys()].filter((name) => groups.every(({ group }) => group !== name));
  for (const name of leftOver) await manager.consumers.delete(stream, name);
  let floor: bigint | undefined;
  for (const row of groups) {
    const consumer = consumers.get(row.group) ?? (await ensureConsumer(manager, stream, row));
    const through = consumer === undefined ? row.acknowledgedThrough : acknowledgedThrough(consumer);
    if (consumer === undefined) await requestComparison(pool, key);
    else await saveAcknowledged(pool, key, { group: row.group, acknowledgedThrough: through });
    if (floor === undefined || through < floor) floor = through;
  }
  return floor;
}

async function trim(manager: JetStreamManager, stream: string, floor: bigint): Promise<void> {
  const { state, config } = await manager.streams.info(stream);
  if (state.bytes < config.max_bytes * TRIM_SHARE_MIN || floor < BigInt(state.first_seq)) return;
  await manager.streams.purge(stream, { seq: Number(floor + 1n) });
}
