import type { JetStreamManager } from '@nats-io/jetstream';
import type { Logger } from '../runtime/logger.ts';
import type { Transaction } from '../store/database.ts';
import { loadOldestNumber } from '../store/load-oldest-number.ts';
import type { ResultStreamRow } from '../store/lock-result-stream.ts';
import { loadResultGroups } from '../store/result-groups.ts';
import type { ResultStreamKey } from '../store/result-stream-key.ts';
import { savePublished } from '../store/save-published.ts';
import { decideStreamRepair, type StreamRepair } from './decide-stream-repair.ts';
import { findStream } from './find-stream.ts';
import { toStreamConfig } from './stream-config.ts';
import { streamNameOf } from './stream-name.ts';

/**
 * Compares a stream at the broker with the record and puts right what differs: makes it, fills it again, or goes on after
 * its last number. The caller has locked the stream's row. What is lost at the broker is published again by the batches
 * that follow; consumers come back with the care for the stream, or when their groups open it.
 */
export async function compareStream(
  { manager, logger }: { readonly manager: JetStreamManager; readonly logger: Logger },
  sql: Transaction,
  key: ResultStreamKey,
  { numberedThrough, publishedThrough }: ResultStreamRow,
): Promise<StreamRepair> {
  const name = streamNameOf(key);
  const found = await findStream(manager, name);
  const groups = await loadResultGroups(sql, key);
  const repair = decideStreamRepair({
    ...{ numberedThrough, publishedThrough },
    lastNumber: found === undefined ? undefined : BigInt(found.state.last_seq),
    oldestNumber: await loadOldestNumber(sql, key),
    acknowledgedThrough: groups.map((group) => group.acknowledgedThrough).sort(compare)[0],
  });
  if (repair.kind === 'none' || repair.kind === 'foreign') return repair;
  if (repair.kind === 'resume') {
    await savePublished(sql, key, { before: publishedThrough, through: repair.publishedThrough });
  } else {
    if (repair.kind === 'remake') await manager.streams.delete(name);
    await makeStream(manager, name, repair.firstNumber);
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

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}
