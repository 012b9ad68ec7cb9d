/** A column of a table. */
export type Column<Row> = {
  readonly title: string;
  readonly value: (row: Row) => string | number | undefined;
  /** Numbers read better on the right. */
  readonly right?: boolean;
  /** The width in a table that is printed row by row; longer values push the rest aside. */
  readonly width?: number;
};

const GAP = '  ';

/** A table whose columns are as wide as their widest value; titles only when there are no rows. */
export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const fitted = columns.map((column) => ({
    ...column,
    width: Math.max(column.title.length, ...rows.map((row) => cell(column, row).length)),
  }));
  return [formatTitles(fitted), ...rows.map((row) => formatRow(fitted, row))].join('');
}

/** The line of titles of a table that is printed row by row. */
export function formatTitles<Row>(columns: readonly Column<Row>[]): string {
  return formatLine(columns, (column) => column.title);
}

/** One line of a table that is printed row by row. */
export function formatRow<Row>(columns: readonly Column<Row>[], row: Row): string {
  return formatLine(columns, (column) => cell(column, row));
}

/** A name and a value a line; those without a value are left out. */
export function formatFields(
  fields: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(0, ...present.map(([name]) => name.length));
  return present.map(([name, value]) => `${name.padEnd(width)}${GAP}${printable(String(value))}\n`).join('');
}

/** `text` without what a terminal would act on: pages choose their URLs and titles. */
export function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

function formatLine<Row>(columns: readonly Column<Row>[], text: (column: Column<Row>) => string): string {
  const cells = columns.map((column, i) => {
    const value = text(column);
    const padding = ' '.repeat(Math.max(0, (column.width ?? column.title.length) - value.length));
    if (column.right === true) return padding + value;
    return i === columns.length - 1 ? value : value + padding;
  });
  return `${cells.join(GAP).trimEnd()}\n`;
}

function cell<Row>(column: Column<Row>, row: Row): string {
  return printable(String(column.value(row) ?? '-'));
}
