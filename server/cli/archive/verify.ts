import { defineCommand } from '@decorum/sdk/cli/command-module.ts';
import { EXIT } from '@decorum/sdk/cli/exit-code.ts';
import type { Column } from '@decorum/sdk/cli/print-table.ts';
import { verifyArchive, type StoredFinding } from '../../archive/upkeep/verify-archive.ts';
import { describeFinding } from './describe-finding.ts';
import { parseSegmentId } from './parse-location.ts';
import { withStores } from './with-stores.ts';

type Row = {
  readonly segmentId: string;
  readonly offset: number | undefined;
  readonly finding: StoredFinding;
};

const COLUMNS: readonly Column<Row>[] = [
  { title: 'SEGMENT', value: ({ segmentId }) => segmentId, width: 36 },
  { title: 'OFFSET', value: ({ offset }) => offset, width: 10, right: true },
  { title: 'KIND', value: ({ finding }) => finding.kind, width: 20 },
  { title: 'FOUND', value: ({ finding }) => describeFinding(finding) },
];

const PROGRESS_MS = 2_000;

/** `decorum archive verify`: exits 1 with each finding named, 0 with counts. */
export const archiveVerify = defineCommand<object>({
  name: 'archive verify',
  summary: 'read every segment to its end and compare it with the index, both ways',
  configure: (command) => command.argument('[segment-id]', 'only this one'),
  run: (context, { args: [only] }) =>
    withStores(async (stores) => {
      const sum = { segments: 0, members: 0, bytes: 0, tombstones: 0, pending: 0, findings: 0 };
      let toldMs = context.nowMs();
      const reports = verifyArchive(stores, context.signal, only && parseSegmentId(only));
      for await (const { segmentId, findings, members, fileBytes, tombstones, pending } of reports) {
        sum.segments += 1;
        sum.members += members;
        sum.bytes += fileBytes;
        sum.tombstones += tombstones;
        sum.pending += pending;
        sum.findings += findings.length;
        for (const finding of findings)
          await context.printRow(COLUMNS, { segmentId, offset: offsetOf(finding), finding });
        if (!context.stdoutIsTerminal || context.nowMs() - toldMs < PROGRESS_MS) continue;
        toldMs = context.nowMs();
        context.note(`${sum.segments} segments, ${sum.members} members, ${sum.bytes} bytes so far`);
      }
      await context.printFields(sum, sum);
      return sum.findings === 0 ? EXIT.ok : EXIT.failed;
    }),
});

function offsetOf(finding: StoredFinding): number | undefined {
  if ('offset' in finding) return finding.offset;
  return 'row' in finding ? finding.row.offset : undefined;
}
