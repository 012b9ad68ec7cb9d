import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeliveryLedger } from './delivery-ledger.ts';

function delivery(seq: number, log: string[], name = String(seq)) {
  return {
    seq,
    ack: () => void log.push(`ack ${name}`),
    nak: (afterMs?: number) => void log.push(`nak ${name} ${afterMs ?? 'now'}`),
    working: () => void log.push(`working ${name}`),
  };
}

test('a number is handed on once; its newest delivery is the one that is acknowledged', () => {
  const log: string[] = [];
  const ledger = createDeliveryLedger();
  assert.ok(ledger.take(delivery(1, log, 'first')));
  assert.ok(!ledger.take(delivery(1, log, 'second')));
  assert.equal(ledger.held, 1);
  ledger.ack(1);
  ledger.ack(1);
  assert.deepEqual(log, ['ack second']);
  assert.equal(ledger.held, 0);
});

test('one that comes again after it was acknowledged is acknowledged again; after a retry it is handed on', () => {
  const log: string[] = [];
  const ledger = createDeliveryLedger();
  ledger.take(delivery(1, log));
  ledger.ack(1);
  assert.ok(!ledger.take(delivery(1, log, 'again')));
  ledger.take(delivery(2, log));
  ledger.retry(2, 500);
  assert.ok(ledger.take(delivery(2, log, 'later')));
  assert.deepEqual(log, ['ack 1', 'ack again', 'nak 2 500']);
});

test('what is held is kept alive, and given back at the end', () => {
  const log: string[] = [];
  const ledger = createDeliveryLedger();
  for (const seq of [1, 2, 3]) ledger.take(delivery(seq, log));
  ledger.ack(2);
  ledger.renew();
  ledger.release();
  ledger.renew();
  assert.deepEqual(log, ['ack 2', 'working 1', 'working 3', 'nak 1 now', 'nak 3 now']);
});

test('a connection that is closed is no error, and the number stays acknowledged', () => {
  const ledger = createDeliveryLedger();
  const closed = () => {
    throw new Error('closed connection');
  };
  ledger.take({ seq: 1, ack: closed, nak: closed, working: closed });
  ledger.renew();
  ledger.ack(1);
  const log: string[] = [];
  assert.ok(!ledger.take(delivery(1, log)));
  assert.deepEqual(log, ['ack 1']);
});

test('ten thousand acknowledged numbers are remembered', () => {
  const ledger = createDeliveryLedger();
  for (let seq = 1; seq <= 10_001; seq += 1) {
    ledger.take(delivery(seq, []));
    ledger.ack(seq);
  }
  assert.ok(!ledger.take(delivery(2, [])));
  assert.ok(ledger.take(delivery(1, [])));
});
