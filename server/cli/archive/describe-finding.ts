import type { StoredFinding } from '../../archive/upkeep/verify-archive.ts';

/** One line for people on what is wrong. */
export function describeFinding(finding: StoredFinding): string {
  switch (finding.kind) {
    case 'damage':
      return `${finding.detail} (${finding.damage}${finding.row === null ? ', no row names it' : ''})`;
    case 'member_without_row':
      return `a ${finding.recordType} record of ${finding.length} bytes that no row names`;
    case 'row_without_member':
      return `a row names ${finding.row.length} bytes where no member begins`;
    case 'wrong_member':
      return `another record (${finding.recordId}, ${finding.length} bytes) than its row names (${finding.row.recordId}, ${finding.row.length} bytes)`;
    case 'file_missing':
      return 'the file is missing';
    case 'file_short':
      return `the file has ${finding.fileBytes} bytes; it was closed with ${finding.closedBytes}`;
    case 'file_without_segment':
      return 'a file of a segment that the database does not know';
  }
}
