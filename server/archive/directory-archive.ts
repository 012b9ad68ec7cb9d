import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { eraseMembers, type ErasedMember } from './erase-members.ts';
import { listSegmentFiles } from './list-segment-files.ts';
import { readMemberBytes } from './read-member-bytes.ts';
import { readMember, type MemberReading } from './read-member.ts';
import { recoverSegment } from './recover-segment.ts';
import { reserveSegment } from './reserve-segment.ts';
import { scanSegment, type ScannedMember } from './scan-segment.ts';
import { toSegmentPath } from './segment-path.ts';
import { openSegmentWriter, type SegmentWriter } from './segment-writer.ts';
import { verifySegment, type MemberRow, type SegmentVerification } from './verify-segment.ts';
import type { WarcFields } from './warc-header.ts';

/** Where segments are kept. What a segment is, who writes it and what lies in it is for others to know. */
export type Archive = {
  /** See `openSegmentWriter`. */
  openSegment: (segment: {
    segmentId: string;
    createdAt: Date;
    warcinfo: WarcFields;
  }) => Promise<SegmentWriter>;
  /** See `readMember`. */
  readMember: (location: { segmentId: string; offset: number; length: number }) => Promise<MemberReading>;
  /** See `readMemberBytes`. */
  readMemberBytes: (location: {
    segmentId: string;
    offset: number;
    length: number;
  }) => AsyncGenerator<Uint8Array, void>;
  /** See `scanSegment`. */
  scanSegment: (segmentId: string, from?: number) => AsyncGenerator<ScannedMember, void>;
  /** The length of a segment's file; rejects with ENOENT when there is none. */
  measureSegment: (segmentId: string) => Promise<number>;
  /** See `listSegmentFiles`. */
  listSegmentFiles: () => Promise<string[]>;
  /** See `verifySegment`. */
  verifySegment: (segmentId: string, rows: readonly MemberRow[]) => Promise<SegmentVerification>;
  /** See `recoverSegment`. */
  recoverSegment: (
    segmentId: string,
    keepThrough: number,
    beforeReplace?: () => Promise<void>,
  ) => Promise<{ bytes: number }>;
  /** See `reserveSegment`. */
  reserveSegment: (segmentId: string) => Promise<void>;
  /** See `eraseMembers`. */
  eraseMembers: (
    segmentId: string,
    members: readonly ErasedMember[],
    beforeWrite: () => Promise<void>,
  ) => Promise<void>;
};

/**
 * An archive in a directory that every process which fetches, serves or purges has mounted. The directory is
 * made when the first segment is opened.
 */
export function createDirectoryArchive(dir: string): Archive {
  const toFile = (segmentId: string) => join(dir, toSegmentPath(segmentId));
  return {
    openSegment: (segment) => openSegmentWriter({ dir, ...segment }),
    readMember: ({ segmentId, offset, length }) => readMember({ file: toFile(segmentId), offset, length }),
    readMemberBytes: ({ segmentId, offset, length }) =>
      readMemberBytes({ file: toFile(segmentId), offset, length }),
    scanSegment: (segmentId, from = 0) => scanSegment({ file: toFile(segmentId), from }),
    measureSegment: async (segmentId) => (await stat(toFile(segmentId))).size,
    listSegmentFiles: () => listSegmentFiles(dir),
    verifySegment: (segmentId, rows) => verifySegment(toFile(segmentId), rows),
    recoverSegment: (segmentId, keepThrough, beforeReplace) =>
      recoverSegment({ file: toFile(segmentId), keepThrough, ...(beforeReplace && { beforeReplace }) }),
    reserveSegment: (segmentId) => reserveSegment(toFile(segmentId)),
    eraseMembers: (segmentId, members, beforeWrite) =>
      eraseMembers({ file: toFile(segmentId), members, beforeWrite }),
  };
}
