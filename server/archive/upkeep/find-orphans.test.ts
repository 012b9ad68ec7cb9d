import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScannedMember } from '../scan-segment.ts';
import { findOrphans } from './find-orphans.ts';

const header = { version: '1.1', fields: [] };

/** A file of whole members of 300 bytes, but for an unreadable one at `hurtAt`; notes from where it was read. */
function createFile(members: number, hurtAt?: number) {
  const reads: number[] = [];
  async function* scan(from: number): AsyncGenerator<ScannedMember> {
    for (let offset = from; offset < members * 300; offset += 300) {
      reads.push(offset);
      if (offset === hurtAt) {
        yield { state: 'unreadable', damage: 'bad_gzip', detail: '', offset };
        return;
      }
      yield await Promise.resolve({ state: 'whole', offset, length: 300, header } as const);
    }
  }
  return { reads, scan };
}

const at = (...offsets: number[]) => offsets.map((offset) => ({ offset, length: 300 }));

test('members between, before and behind the named ones are orphans; warcinfo is not', async () => {
  const { scan } = createFile(7);
  assert.deepEqual(await findOrphans(scan, at(600, 1500), 2100), at(300, 900, 1200, 1800));
});

test('a segment without orphans costs reading its warcinfo', async () => {
  const { scan, reads } = createFile(7);
  assert.deepEqual(await findOrphans(scan, at(300, 600, 900, 1200, 1500, 1800), 2100), []);
  assert.deepEqual(reads, [0, 300]);
});

test('what can not be read goes up to the next named member, or to the end of the file', async () => {
  const { scan } = createFile(7, 600);
  assert.deepEqual(await findOrphans(scan, at(1200), 2100), [
    ...at(300),
    { offset: 600, length: 600 },
    ...at(1500, 1800),
  ]);
  assert.deepEqual(await findOrphans(scan, at(300), 2100), [{ offset: 600, length: 1500 }]);
});

test('a damaged warcinfo, and a member that reaches into a named one, stay', async () => {
  assert.deepEqual(await findOrphans(createFile(3, 0).scan, at(600), 900), []);
  assert.deepEqual(await findOrphans(createFile(3).scan, [{ offset: 500, length: 400 }], 900), []);
});
