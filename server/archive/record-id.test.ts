import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRecordId } from './record-id.ts';

// The DNS namespace of RFC 9562 §6.6, so that the result can be compared with any other implementation.
const CAPTURE_ID = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

test('the response or revisit of a capture bears the id of the capture', () => {
  assert.equal(toRecordId(CAPTURE_ID, 'response'), CAPTURE_ID);
  assert.equal(toRecordId(CAPTURE_ID, 'revisit'), CAPTURE_ID);
});

test('request and metadata get the name-based UUID of their type', () => {
  // Python: uuid.uuid5(uuid.NAMESPACE_DNS, 'request') and 'metadata'.
  assert.equal(toRecordId(CAPTURE_ID, 'request'), 'a8d154a6-5103-5185-93aa-a3b4988bb61b');
  assert.equal(toRecordId(CAPTURE_ID, 'metadata'), '950559b0-51b9-53c8-bd9a-00905d5bd5a3');
});

test('an id that is not a lower-case UUID is refused', () => {
  for (const id of ['', CAPTURE_ID.toUpperCase(), `${CAPTURE_ID}\r\nX: y`, CAPTURE_ID.slice(1)]) {
    assert.throws(() => toRecordId(id, 'response'), RangeError);
  }
});
