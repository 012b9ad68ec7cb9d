import type { Result } from '../results/result.ts';
import type { Column } from './print-table.ts';

/** How results are shown to people, row by row. */
export const RESULT_COLUMNS: readonly Column<Result>[] = [
  {
    title: 'NUMBER',
    value: ({ lane, number }) => (lane === 'urgent' ? `u${number}` : number),
    right: true,
    width: 7,
  },
  { title: 'KIND', value: ({ kind }) => kind, width: 13 },
  { title: 'CODE', value: ({ capture }) => capture?.statusCode, right: true },
  { title: 'BYTES', value: ({ capture }) => capture?.bodyBytes, right: true, width: 8 },
  { title: 'MS', value: ({ times }) => times.totalTimeMs, right: true, width: 6 },
  { title: 'CAPTURE', value: ({ capture }) => capture?.captureId, width: 36 },
  { title: 'URL', value: (result) => describe(result) },
];

function describe({ url, finalUrl, detail, outcome, kind }: Result): string {
  const to = finalUrl !== undefined && finalUrl !== url ? ` -> ${finalUrl}` : '';
  const why =
    kind === 'PAGE' || kind === 'ANSWERED' || kind === 'NOT_MODIFIED' ? '' : (detail ?? outcome ?? '');
  return `${url ?? '-'}${to}${why === '' ? '' : ` (${why})`}`;
}
