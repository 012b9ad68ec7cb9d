import { defineCommand } from '@decorum/sdk/cli/command-module.ts';
import { EXIT } from '@decorum/sdk/cli/exit-code.ts';
import type { Column } from '@decorum/sdk/cli/print-table.ts';
import { listSegments, type ListedSegment } from '../../store/list-segments.ts';
import { withStores } from './with-stores.ts';

const COLUMNS: readonly Column<ListedSegment>[] = [
  { title: 'SEGMENT', value: ({ segmentId }) => segmentId, width: 36 },
  { title: 'STATE', value: stateOf, width: 12 },
  { title: 'MEMBERS', value: ({ members }) => String(members), width: 8, right: true },
  { title: 'BYTES', value: ({ bytes }) => bytes?.toString(), width: 11, right: true },
  { title: 'OPENED', value: ({ openedAt }) => openedAt.toISOString(), width: 24 },
  { title: 'RESIDENCY', value: ({ residency }) => residency },
];

/** `decorum archive list`. */
export const archiveList = defineCommand<object>({
  name: 'archive list',
  summary: 'show all segments',
  configure: (command) => command,
  run: (context) =>
    withStores(async ({ pool }) => {
      for await (const segment of listSegments(pool)) {
        if (context.signal.aborted) break;
        await context.printRow(COLUMNS, segment);
      }
      return EXIT.ok;
    }),
});

function stateOf({ state, isSettled, needsPerson }: ListedSegment): string {
  if (needsPerson) return 'needs a look';
  return isSettled ? 'settled' : state;
}
