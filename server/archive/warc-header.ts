/** Named fields in file order; a name may repeat. */
export type WarcFields = readonly (readonly [name: string, value: string])[];

/** The header of a record as read. */
export type WarcHeader = { version: string; fields: WarcFields };

/** What parsing a header gives: a header, or what is wrong with it. */
export type ParsedWarcHeader = { ok: true; header: WarcHeader } | { ok: false; problem: string };

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const CONTROLS = /[\u0000-\u001f\u007f]/g;

/**
 * Writes a record's header with its version line and closing empty line (WARC 1.1 §4). Throws a RangeError
 * when a name is no token or a value holds a control character: whoever calls this made both.
 */
export function formatWarcHeader(fields: WarcFields): Buffer {
  let text = 'WARC/1.1\r\n';
  for (const [name, value] of fields) {
    if (value.search(CONTROLS) >= 0) throw new RangeError(`${name} holds a control character`);
    text += formatField(name, value);
  }
  return Buffer.from(`${text}\r\n`);
}

/**
 * Writes a block of type `application/warc-fields` (WARC 1.1 §8.3). Values may come from a site: control
 * characters in them, which could begin a field of their own, become U+FFFD.
 */
export function formatWarcFields(fields: WarcFields): Buffer {
  return Buffer.from(
    fields.map(([name, value]) => formatField(name, value.replace(CONTROLS, '\ufffd'))).join(''),
  );
}

/** Reads a header, from the version line through the closing empty line. Folded lines are not accepted. */
export function parseWarcHeader(bytes: Uint8Array): ParsedWarcHeader {
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8').split('\r\n');
  const version = /^WARC\/(\d+\.\d+)$/.exec(lines[0] ?? '')?.[1];
  if (version === undefined) return { ok: false, problem: 'no WARC version line' };
  if (lines.at(-1) !== '' || lines.at(-2) !== '') return { ok: false, problem: 'no closing empty line' };
  const fields: [string, string][] = [];
  for (const line of lines.slice(1, -2)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0));
    if (!TOKEN.test(name)) return { ok: false, problem: 'a line that is no named field' };
    fields.push([name, line.slice(colon + 1).trim()]);
  }
  return { ok: true, header: { version, fields } };
}

/** The first value of a field, whose name is compared without case, or undefined. */
export function getWarcField(header: WarcHeader, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return header.fields.find(([candidate]) => candidate.toLowerCase() === wanted)?.[1];
}

/** The UUID of a `WARC-Record-ID` of ours, or the whole value when it is of another kind. */
export function getRecordId(header: WarcHeader): string | undefined {
  const value = getWarcField(header, 'WARC-Record-ID');
  return value === undefined ? undefined : (/^<urn:uuid:([^>]+)>$/.exec(value)?.[1] ?? value);
}

function formatField(name: string, value: string): string {
  if (!TOKEN.test(name)) throw new RangeError('a field name is a token');
  return `${name}: ${value}\r\n`;
}
