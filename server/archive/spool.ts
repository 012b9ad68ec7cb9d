/**
 * A body on its way from the site to the archive. Its WARC header carries length and digests, so the whole
 * body is kept before the first byte of the record is written: in memory while it is short, then in a
 * temporary file that has no name any more, so that a killed process leaves nothing behind.
 *
 * Both places are bounded for the worker as a whole, and a `write` that finds its budget used up waits, which
 * slows the connection down. It cannot wait for ever: a spool reserves its memory when it holds nothing, and
 * its file space, all it can ever need, while it holds memory; who has file space waits for nothing.
 */
import { createHash, randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { formatDigest } from '@decorum/policy/digest/format-digest.ts';
import { createByteBudget, type ByteBudget, type ReleaseBytes } from './byte-budget.ts';
import type { ByteChunks } from './gzip-member.ts';
import { writeAll } from './write-all.ts';

/** Bodies up to here stay in memory. */
export const SPOOL_MEMORY_BYTES_MAX = 256 * 1024;

const READ_BYTES = 256 * 1024;

/** What all spools of a worker may use at once. */
export type SpoolBudget = { memory: ByteBudget; file: ByteBudget };

/** Makes the bounds that the spools of one worker share. */
export function createSpoolBudget(limits: { memoryBytesMax: number; fileBytesMax: number }): SpoolBudget {
  return {
    memory: createByteBudget(limits.memoryBytesMax),
    file: createByteBudget(limits.fileBytesMax),
  };
}

/** A body that is complete. It stays readable until its spool is disposed of. */
export type SpooledBody = {
  readonly byteLength: number;
  /** `sha1:` and Base32, over exactly these bytes. */
  readonly sha1: string;
  /** `sha256:` and hex. */
  readonly sha256: string;
  /** The bytes themselves, when they are in memory. */
  readonly inMemory: Uint8Array | null;
  /** The bytes from the beginning, at every call. */
  read: () => ByteChunks;
};

/** A body that is being received. */
export type Spool = AsyncDisposable & {
  /**
   * Adds bytes, which are copied. The next call must await this one. Waits while the worker's budget is used
   * up; rejects with a RangeError when the body grows past its maximum, and with what the file system says.
   * After a rejection the spool can only be disposed of, and never while a write is running.
   */
  write: (chunk: Uint8Array) => Promise<void>;
  /** Ends the body; no write may follow. */
  finish: () => SpooledBody;
};

/** What a spool is made with; `memoryBytesMax` is 256 KiB by default. */
export type SpoolOptions = {
  /** Where the temporary file goes; the directory exists. */
  dir: string;
  budget: SpoolBudget;
  /** The body is never longer than this; the file space reserved for it. */
  bodyBytesMax: number;
  memoryBytesMax?: number;
  /** Ends the waiting for budget. */
  signal?: AbortSignal;
};

/** Makes an empty spool, which holds nothing before its first write. */
export function createSpool(options: SpoolOptions): Spool {
  const memoryBytesMax = Math.min(options.memoryBytesMax ?? SPOOL_MEMORY_BYTES_MAX, options.bodyBytesMax);
  const sha1 = createHash('sha1');
  const sha256 = createHash('sha256');
  let chunks: Uint8Array[] = [];
  let byteLength = 0;
  let file: FileHandle | null = null;
  let releaseMemory: ReleaseBytes | null = null;
  let releaseFile: ReleaseBytes | null = null;

  async function spill(): Promise<FileHandle> {
    releaseFile = await options.budget.file.reserve(options.bodyBytesMax, options.signal);
    file = await openNamelessFile(options.dir);
    await writeAll(file, chunks, 0);
    chunks = [];
    releaseMemory?.();
    return file;
  }

  return {
    async write(chunk) {
      if (byteLength + chunk.length > options.bodyBytesMax) {
        throw new RangeError(`a body of more than ${options.bodyBytesMax} bytes`);
      }
      releaseMemory ??= await options.budget.memory.reserve(memoryBytesMax, options.signal);
      if (file !== null || byteLength + chunk.length > memoryBytesMax) {
        await writeAll(file ?? (await spill()), [chunk], byteLength);
      } else {
        // A received chunk is often a small view of a large pooled buffer, which keeping it would pin.
        chunks.push(Buffer.from(chunk));
      }
      sha1.update(chunk);
      sha256.update(chunk);
      byteLength += chunk.length;
    },

    finish() {
      const bytes = byteLength;
      const handle = file;
      const inMemory = handle === null ? Buffer.concat(chunks, bytes) : null;
      chunks = [];
      return {
        byteLength: bytes,
        sha1: formatDigest('sha1', sha1.digest()),
        sha256: formatDigest('sha256', sha256.digest()),
        inMemory,
        read: () => (handle === null ? [inMemory ?? new Uint8Array()] : readFile(handle, bytes)),
      };
    },

    async [Symbol.asyncDispose]() {
      const handle = file;
      file = null;
      await handle?.close();
      chunks = [];
      releaseMemory?.();
      releaseFile?.();
    },
  };
}

async function openNamelessFile(dir: string): Promise<FileHandle> {
  const path = join(dir, `spool-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600);
  await unlink(path);
  return handle;
}

async function* readFile(handle: FileHandle, byteLength: number): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < byteLength;) {
    const chunk = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, byteLength - position));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) throw new Error('a spool file became shorter');
    position += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}
