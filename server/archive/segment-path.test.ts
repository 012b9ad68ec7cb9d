import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSegmentPath } from './segment-path.ts';

test('a segment lies in the shard of its last two digits', () => {
  assert.equal(
    toSegmentPath('01935c2e-7b1a-7000-8000-0123456789ab'),
    'segments/ab/01935c2e-7b1a-7000-8000-0123456789ab.warc.gz',
  );
});

test('an id that could lead out of the directory is refused', () => {
  for (const id of ['../../etc/passwd', '', 'a/b', '01935c2e-7b1a-7000-8000-0123456789a/']) {
    assert.throws(() => toSegmentPath(id), RangeError);
  }
});
