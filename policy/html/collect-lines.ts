/** Gathers text into lines with white space collapsed, up to a bound. */
export type LineCollector = {
  /** Adds text to the current line. */
  add(text: string): void;
  /** Ends the current line; empty lines are not kept. */
  breakLine(): void;
  /** Whether the bound was reached: what comes after it is dropped. */
  isFull(): boolean;
  /** The lines so far, joined by line feeds, at most `charactersMax` long. */
  toText(): string;
};

/** Collapses HTML white space (ASCII only: a no-break space is text) and takes it off both ends. */
export function collapseSpace(text: string): string {
  return text.replace(/[\t\n\f\r ]+/g, ' ').replace(/^ | $/g, '');
}

/** Makes an empty collector for at most `charactersMax` characters. */
export function collectLines(charactersMax: number): LineCollector {
  const lines: string[] = [];
  let line = '';
  let total = 0;
  const breakLine = (): void => {
    const kept = line.endsWith(' ') ? line.slice(0, -1) : line;
    line = '';
    if (kept === '') return;
    total += kept.length + 1;
    lines.push(kept);
  };
  const isFull = (): boolean => total + line.length > charactersMax;
  return {
    add(text) {
      if (isFull()) return;
      const piece = text.replace(/[\t\n\f\r ]+/g, ' ');
      line += (line === '' || line.endsWith(' ')) && piece.startsWith(' ') ? piece.slice(1) : piece;
    },
    breakLine,
    isFull,
    toText: () => [...lines, line.trimEnd()].join('\n').replace(/\n$/, '').slice(0, charactersMax),
  };
}
