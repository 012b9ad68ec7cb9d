/** Long bodies pass through in pieces: what is held at any moment does not grow with them. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { buildCaptureRecords } from '@decorum/server/archive/build-capture-records.ts';
import { readMember } from '@decorum/server/archive/read-member.ts';
import { scanSegment } from '@decorum/server/archive/scan-segment.ts';
import { toSegmentPath } from '@decorum/server/archive/segment-path.ts';
import { openSegmentWriter } from '@decorum/server/archive/segment-writer.ts';
import { createSpool, createSpoolBudget } from '@decorum/server/archive/spool.ts';
import { CAPTURED_AT, createArchiveDir, toCaptureInput } from '../../support/archive/segments.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The largest amount of buffers alive when asked, over what was alive at the start. */
function createWatch() {
  collectGarbage();
  const base = process.memoryUsage().arrayBuffers;
  let peak = 0;
  return {
    sample: () => {
      collectGarbage();
      peak = Math.max(peak, process.memoryUsage().arrayBuffers - base);
    },
    get peakMib() {
      return peak / 1024 / 1024;
    },
  };
}

const MIB = 1024 * 1024;

for (const [coding, head] of [
  ['deflated', 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n'],
  ['stored', 'HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n'],
] as const) {
  test(`a ${coding} body of 20 MB is spooled, appended, read and scanned in a few buffers`, async () => {
    await using archive = await createArchiveDir();
    const watch = createWatch();
    await using spool = createSpool({
      dir: archive.dir,
      budget: createSpoolBudget({ memoryBytesMax: MIB, fileBytesMax: 64 * MIB }),
      bodyBytesMax: 64 * MIB,
    });
    for (let count = 0; count < 20; count += 1) {
      await spool.write(randomBytes(MIB));
      watch.sample();
    }

    const segmentId = randomUUID();
    const writer = await openSegmentWriter(
      { dir: archive.dir, segmentId, createdAt: CAPTURED_AT, warcinfo: [] },
      {
        openFile: async (path) => {
          const file = await open(path, 'wx');
          const writev = file.writev.bind(file);
          file.writev = async (chunks, position) => {
            watch.sample();
            return writev(chunks, position);
          };
          return file;
        },
      },
    );
    const responseHead = Buffer.from(head);
    const [, response] = await writer.append(
      await buildCaptureRecords(toCaptureInput(spool.finish(), { responseHead })),
    );
    await writer.close();
    assert.ok(response && response.length > 20 * MIB);

    const file = join(archive.dir, toSegmentPath(segmentId));
    await using member = await readMember({ file, ...response });
    let bytes = 0;
    for await (const chunk of member.body) {
      if (bytes % (2 * MIB) < chunk.length) watch.sample();
      bytes += chunk.length;
    }
    assert.equal(bytes, 20 * MIB);
    for await (const scanned of scanSegment({ file })) {
      watch.sample();
      assert.equal(scanned.state, 'whole');
    }
    assert.ok(watch.peakMib < 6, `${watch.peakMib} MiB`);
  });
}
