/**
 * The one writer of an open segment: creates its file with `warcinfo` first, appends captures whole, and
 * makes them durable before they are reported (D2).
 *
 * Appends take turns; each writes at the end of the last good one. When one fails, the file is cut back to
 * there, so that the next begins on a member's border. `sync` is a group commit: fetches that end together
 * share one fdatasync.
 *
 * States: open, then either closed or failed. It fails when an fsync failed or the file could not be cut
 * back: then nobody knows what is on the disk, every call rejects, and the segment is left to takeover.
 */
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildWarcinfo } from './build-warcinfo.ts';
import { createGroupCommit } from './group-commit.ts';
import type { GzipMember } from './gzip-member.ts';
import { toSegmentPath } from './segment-path.ts';
import { syncDirectory } from './sync-directory.ts';
import type { WarcFields } from './warc-header.ts';
import { writeAll } from './write-all.ts';

/** What the writer needs of an open file. */
export type SegmentFile = Pick<FileHandle, 'write' | 'writev' | 'truncate' | 'datasync' | 'sync' | 'close'>;

/** Where a member lies in its segment. */
export type MemberLocation = {
  recordType: GzipMember['recordType'];
  recordId: string;
  offset: number;
  length: number;
};

/** An open segment. Disposing of it closes it. */
export type SegmentWriter = AsyncDisposable & {
  readonly segmentId: string;
  /** Where the next append begins. */
  readonly bytes: number;
  /**
   * Appends all members or none, in order, and tells where they lie; they are durable only after `sync`.
   * Calls may overlap; they are served in order. Rejects with the error of a member's bytes or of the file;
   * after most of them the writer goes on.
   */
  append: (members: readonly GzipMember[]) => Promise<MemberLocation[]>;
  /** Resolves once everything is durable whose append had resolved before the call. */
  sync: () => Promise<void>;
  /** Waits for running appends, makes file and directory durable, and closes the file. Idempotent. */
  close: () => Promise<void>;
};

/** Bytes gathered before they are handed to the kernel in one call. */
const WRITE_BYTES = 1024 * 1024;

/**
 * Creates a segment's file below the archive's directory and appends its `warcinfo`; both are durable when
 * this resolves. Rejects with EEXIST when the file exists: a segment has one writer, once. `deps.openFile` is
 * there for tests of a failing disk.
 */
export async function openSegmentWriter(
  input: { dir: string; segmentId: string; createdAt: Date; warcinfo: WarcFields },
  deps: { openFile: (path: string) => Promise<SegmentFile> } = {
    openFile: (path) => open(path, 'wx', 0o640),
  },
): Promise<SegmentWriter> {
  const path = join(input.dir, toSegmentPath(input.segmentId));
  const shard = dirname(path);
  await mkdir(shard, { recursive: true });
  const file = await deps.openFile(path);
  const writer = createWriter(input.segmentId, file, () => syncDirectory(shard));
  try {
    await writer.append([await buildWarcinfo({ ...input, fields: input.warcinfo })]);
    await writer.sync();
    for (const dir of [shard, dirname(shard), input.dir]) await syncDirectory(dir);
  } catch (error) {
    await file.close();
    throw error;
  }
  return writer;
}

function createWriter(segmentId: string, file: SegmentFile, syncShard: () => Promise<void>): SegmentWriter {
  const commit = createGroupCommit(() => failOnError(file.datasync()));
  let end = 0;
  let failure: Error | null = null;
  let lastAppend: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | null = null;

  async function failOnError(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      failure ??= new Error(`segment ${segmentId} cannot be written any more`, { cause: error });
      throw failure;
    }
  }

  async function appendInTurn(members: readonly GzipMember[]): Promise<MemberLocation[]> {
    if (failure !== null) throw failure;
    try {
      const locations = await writeMembers(file, members, end);
      const last = locations.at(-1);
      if (last !== undefined) end = last.offset + last.length;
      return locations;
    } catch (error) {
      await failOnError(file.truncate(end));
      throw error;
    }
  }

  async function closeInTurn(): Promise<void> {
    await lastAppend.catch(() => undefined);
    try {
      if (failure !== null) throw failure;
      await commit();
      await failOnError(file.sync());
    } finally {
      await file.close();
    }
    await syncShard();
  }

  const close = () => (closing ??= closeInTurn());
  return {
    segmentId,
    get bytes() {
      return end;
    },
    async append(members) {
      if (closing !== null) throw new Error(`segment ${segmentId} is closed`);
      const append = lastAppend.then(
        () => appendInTurn(members),
        () => appendInTurn(members),
      );
      lastAppend = append;
      return append;
    },
    async sync() {
      if (failure !== null) throw failure;
      if (closing !== null) return closing;
      await commit();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function writeMembers(
  file: SegmentFile,
  members: readonly GzipMember[],
  start: number,
): Promise<MemberLocation[]> {
  const locations: MemberLocation[] = [];
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let written = start;
  for (const { recordType, recordId, read } of members) {
    const offset = written + pendingBytes;
    for await (const chunk of read()) {
      pending.push(chunk);
      pendingBytes += chunk.length;
      if (pendingBytes < WRITE_BYTES) continue;
      written = await writeAll(file, pending, written);
      pending = [];
      pendingBytes = 0;
    }
    locations.push({ recordType, recordId, offset, length: written + pendingBytes - offset });
  }
  await writeAll(file, pending, written);
  return locations;
}
