import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ROBOTS_OCTETS_MAX, cutRobots } from './cut-robots.ts';

/** A file of exactly `octets` octets whose last line is `last`. */
function fileOf(octets: number, last: string): Buffer {
  return Buffer.from(`${'#'.repeat(octets - last.length - 1)}\n${last}`);
}

test('500 KiB are kept whole', () => {
  const body = fileOf(ROBOTS_OCTETS_MAX, 'Disallow: /x');
  assert.deepEqual(cutRobots(body), { content: body, truncated: false });
});

test('of a longer file the line that the limit cuts is left out, lest half of it says something else', () => {
  const body = Buffer.concat([fileOf(ROBOTS_OCTETS_MAX, 'Allow: /'), Buffer.from('a\nDisallow: /b\n')]);
  const { content, truncated } = cutRobots(body);
  assert.equal(truncated, true);
  assert.equal(content.length, ROBOTS_OCTETS_MAX - 'Allow: /'.length - 1);
});

test('a line that ends exactly at the limit is kept', () => {
  for (const lineEnd of ['\n', '\r', '\r\n']) {
    const body = Buffer.concat([fileOf(ROBOTS_OCTETS_MAX, 'Disallow: /x'), Buffer.from(lineEnd)]);
    const { content, truncated } = cutRobots(body);
    assert.equal(truncated, true);
    assert.ok(Buffer.from(content).toString().endsWith('\nDisallow: /x'));
  }
});

test('nothing is kept of one line without an end', () => {
  assert.deepEqual(cutRobots(Buffer.alloc(ROBOTS_OCTETS_MAX + 1, 'a')), {
    content: Buffer.alloc(0),
    truncated: true,
  });
});
