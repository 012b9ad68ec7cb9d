import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveRequestId } from './request-id.ts';

test('the same place in the same batch has the same id, and no other place has it', () => {
  const id = deriveRequestId(0, 'search', 'batch', 7);
  assert.equal(deriveRequestId(0, 'search', 'batch', 7), id);
  for (const other of [
    deriveRequestId(0, 'search', 'batch', 8),
    deriveRequestId(0, 'ml', 'batch', 7),
    deriveRequestId(0, 'search', 'batch2', 7),
  ]) {
    assert.notEqual(other, id);
  }
});

test('an id is a UUID of version 8 that begins with its cell', () => {
  assert.match(
    deriveRequestId(0x12ab, 't1', 'b', 0),
    /^12ab[0-9a-f]{4}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});
