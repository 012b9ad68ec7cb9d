import { stat } from 'node:fs/promises';
import type { DamageKind } from './archive-damage.ts';
import { scanSegment, type ScannedMember } from './scan-segment.ts';
import { getRecordId, getWarcField } from './warc-header.ts';

/** What the index, or an erasure, says lies in a segment. */
export type MemberRow = {
  offset: number;
  length: number;
  /** The UUID of the record (`toRecordId`), or of the tombstone that replaced it. */
  recordId: string;
};

/** One disagreement between a segment's file and its rows, or within the file. */
export type SegmentFinding =
  | { kind: 'damage'; damage: DamageKind; detail: string; offset: number; row: MemberRow | null }
  | { kind: 'member_without_row'; offset: number; length: number; recordId: string; recordType: string }
  | { kind: 'row_without_member'; row: MemberRow }
  | { kind: 'wrong_member'; row: MemberRow; length: number; recordId: string };

/** What verifying a segment found; it is sound when `findings` is empty. */
export type SegmentVerification = {
  /** Members that could be read, `warcinfo` among them. */
  members: number;
  fileBytes: number;
  findings: SegmentFinding[];
};

/**
 * Reads a closed segment's file to its end and checks both directions: each member but the leading `warcinfo`
 * has its row, with its length and record id, and each row its member. Behind a stretch that cannot be read it
 * goes on at the next row's offset. Rows may come in any order. Rejects only with errors of the file.
 */
export async function verifySegment(file: string, rows: readonly MemberRow[]): Promise<SegmentVerification> {
  const waiting = rows.toSorted((a, b) => a.offset - b.offset);
  const findings: SegmentFinding[] = [];
  let members = 0;
  let taken = 0;

  /** The row of the member at this offset; rows passed over have no member. */
  function takeRow(offset: number): MemberRow | null {
    for (let row = waiting[taken]; row !== undefined && row.offset <= offset; row = waiting[taken]) {
      taken += 1;
      if (row.offset === offset) return row;
      findings.push({ kind: 'row_without_member', row });
    }
    return null;
  }

  for (let from: number | undefined = 0; from !== undefined;) {
    let next: number | undefined;
    for await (const member of scanSegment({ file, from })) {
      const row = takeRow(member.offset);
      if (member.state !== 'unreadable') members += 1;
      findings.push(...judgeMember(member, row));
      if (member.state === 'unreadable') next = waiting[taken]?.offset;
    }
    from = next;
  }
  findings.push(...waiting.slice(taken).map((row) => ({ kind: 'row_without_member', row }) as const));
  return { members, fileBytes: (await stat(file)).size, findings };
}

function judgeMember(member: ScannedMember, row: MemberRow | null): SegmentFinding[] {
  const { offset } = member;
  if (member.state !== 'whole') {
    return [{ kind: 'damage', damage: member.damage, detail: member.detail, offset, row }];
  }
  const { length, header } = member;
  const recordId = getRecordId(header) ?? '';
  const recordType = getWarcField(header, 'WARC-Type') ?? '';
  if (row === null) {
    const leads = offset === 0 && recordType === 'warcinfo';
    return leads ? [] : [{ kind: 'member_without_row', offset, length, recordId, recordType }];
  }
  const agrees = row.length === length && row.recordId === recordId;
  return agrees ? [] : [{ kind: 'wrong_member', row, length, recordId }];
}
