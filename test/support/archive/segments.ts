import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCaptureRecords, type CaptureInput } from '@decorum/server/archive/build-capture-records.ts';
import { toSegmentPath } from '@decorum/server/archive/segment-path.ts';
import { openSegmentWriter, type SegmentWriter } from '@decorum/server/archive/segment-writer.ts';
import { createSpool, createSpoolBudget, type SpooledBody } from '@decorum/server/archive/spool.ts';

export const CAPTURED_AT = new Date('2026-11-30T12:00:00.123Z');

const MIB = 1024 * 1024;

/** An archive's directory that goes away with the test. */
export async function createArchiveDir(): Promise<AsyncDisposable & { dir: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'decorum-archive-'));
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) };
}

/** Opens a segment of a new id; `file` is where it lies. */
export async function openTestSegment(dir: string): Promise<{ writer: SegmentWriter; file: string }> {
  const segmentId = randomUUID();
  const writer = await openSegmentWriter({
    dir,
    segmentId,
    createdAt: CAPTURED_AT,
    warcinfo: [['software', 'Decorum']],
  });
  return { writer, file: join(dir, toSegmentPath(segmentId)) };
}

/** A body that came in these pieces. Disposing of it frees it. */
export async function spoolBody(
  dir: string,
  chunks: Iterable<Uint8Array>,
  memoryBytesMax = 256 * 1024,
): Promise<AsyncDisposable & { body: SpooledBody }> {
  const spool = createSpool({
    dir,
    budget: createSpoolBudget({ memoryBytesMax: MIB, fileBytesMax: 64 * MIB }),
    bodyBytesMax: 64 * MIB,
    memoryBytesMax,
  });
  for (const chunk of chunks) await spool.write(chunk);
  return { body: spool.finish(), [Symbol.asyncDispose]: () => spool[Symbol.asyncDispose]() };
}

/** A capture of a page, with what the test wants to be different. */
export function toCaptureInput(body: SpooledBody, parts: Partial<CaptureInput> = {}): CaptureInput {
  return {
    captureId: randomUUID(),
    targetUri: 'https://example.test/page',
    capturedAt: CAPTURED_AT,
    ipAddress: '2001:db8::1',
    requestHead: Buffer.from('GET /page HTTP/1.1\r\nHost: example.test\r\n\r\n'),
    responseHead: Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n'),
    body,
    truncation: null,
    revisit: null,
    provenance: [['robotsLine', '12: Allow: /']],
    ...parts,
  };
}

/** Appends a capture of a body that is in memory; returns where its members lie. */
export async function appendPage(dir: string, writer: SegmentWriter, page: string | Uint8Array) {
  await using spooled = await spoolBody(dir, [Buffer.from(page)]);
  return await writer.append(await buildCaptureRecords(toCaptureInput(spooled.body)));
}

/** All bytes of a stream. */
export async function collect(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}
