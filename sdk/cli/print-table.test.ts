import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Column } from './print-table.ts';
import { formatFields, formatRow, formatTable, formatTitles, printable } from './print-table.ts';

type Row = { readonly name: string; readonly count?: number };
const columns: readonly Column<Row>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'N', value: ({ count }) => count, right: true, width: 3 },
  { title: 'AGAIN', value: ({ name }) => name },
];

test('a table is as wide as its widest values; numbers stand on the right, nothing is a dash', () => {
  const rows = [{ name: 'a', count: 5 }, { name: 'longer name', count: 12_345 }, { name: 'b' }];
  assert.equal(
    formatTable(columns, rows),
    [
      'NAME             N  AGAIN',
      'a                5  a',
      'longer name  12345  longer name',
      'b                -  b',
      '',
    ].join('\n'),
  );
  assert.equal(formatTable(columns, []), 'NAME  N  AGAIN\n');
});

test('row by row, columns keep their width', () => {
  assert.equal(formatTitles(columns), 'NAME    N  AGAIN\n');
  assert.equal(formatRow(columns, { name: 'ab', count: 7 }), 'ab      7  ab\n');
});

test('fields without a value are left out', () => {
  assert.equal(
    formatFields({ id: 'x', 'long name': 5, none: undefined, empty: '', no: false }),
    'id         x\nlong name  5\nno         false\n',
  );
});

test('nothing that a page chose can act on the terminal', () => {
  assert.equal(printable('a\u001b[2Jb\u009bc\r\n\td\u202ee'), 'a\ufffd[2Jb\ufffdc\ufffd\ufffd\ufffdd\ufffde');
  assert.equal(printable('Grüße → 漢字'), 'Grüße → 漢字');
  assert.ok(!formatRow(columns, { name: '\u001b]0;x\u0007' }).includes('\u001b'));
});
