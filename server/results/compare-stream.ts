import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager } from '@nats-io/jetstream';
import type { Logger } from '../runtime/logger.ts';
import type { Transaction } from '../store/database.ts';
import { loadOldestNumber } from '../store/load-oldest-number.ts';
import type { ResultStreamRow } from '../store/lock-result-stream.ts';
import { loadResultGroups } from '../store/result-groups.ts';
import type { ResultStreamKey } from '../store/result-stream-key.ts';
import { savePublished } from '../store/save-published.ts';
import { decideStreamRepair, type StreamRepair } from './decide-stream-repair.ts';
import { ensureConsumer } from './ensure-consumer.ts';
import { toStreamConfig } from './stream-config.ts';
import { streamNameOf } from './stream-name.ts';

/**
 * Compares a stream at the broker with the record and puts right what differs: makes it, fills it again, or goes on after
 * its last number. The caller has locked the stream's row. What is lost at the broker is published again by the batches
 * that follow.
 */
export async function compareStream(
  { manager, logger }: { readonly manager: JetStreamManager; readonly logger: Logger },
  sql: Transaction,
  key: ResultStreamKey,
  { numberedThrough, publishedThrough }: ResultStreamRow,
): Promise<StreamRepair> {
  const name = streamNameOf(key);
  const groups = await loadResultGroups(sql, key);
  const repair = decideStreamRepair({
    ...{ numberedThrough, publishedThrough },
    lastNumber: await findLastNumber(manager, name),
    oldestNumber: await loadOldestNumber(sql, key),
    acknowledgedThrough: groups.map((group) => group.acknowledgedThrough).sort(compare)[0],
  });
  if (repair.kind === 'none' || repair.kind === 'foreign') return repair;
  if (repair.kind === 'resume') {
    await savePublished(sql, key, { before: publishedThrough, through: repair.publishedThrough });
  } else {
    if (repair.kind === 'remake') await manager.streams.delete(name);
    await makeStream(manager, name, repair.firstNumber);
    for (const { group, acknowledgedThrough } of groups) {
      await ensureConsumer(manager, name, group, acknowledgedThrough + 1n);
    }
    await savePublished(sql, key, { before: publishedThrough, through: repair.firstNumber - 1n });
  }
  if (publishedThrough > 0n) {
    logger.warn(
      'the message broker lost results or an acknowledgement; publication goes on from the record',
      {
        stream: name,
        repair: repair.kind,
        publishedThrough,
      },
    );
  }
  return repair;
}

/**
 * An empty stream moves its beginning when it is purged. The setting meant for it, `first_seq`, does harm: nats-server
 * 2.10.27 empties such a stream at each of its starts (seen).
 */
async function makeStream(manager: JetStreamManager, name: string, firstNumber: bigint): Promise<void> {
  await manager.streams.add(toStreamConfig(name));
  if (firstNumber > 1n) await manager.streams.purge(name, { seq: Number(firstNumber) });
}

async function findLastNumber(manager: JetStreamManager, name: string): Promise<bigint | undefined> {
  try {
    return BigInt((await manager.streams.info(name)).state.last_seq);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound)
      return undefined;
    throw error;
  }
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}
