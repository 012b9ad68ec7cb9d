/** Field lines of an answer in the order received; bytes above 0x7F read as ISO-8859-1 (RFC 9110 §5.5). */
export type Fields = readonly { readonly name: string; readonly value: string }[];

/** Reads the HTTP client's list of raw names and values. */
export function toFields(raw: readonly Uint8Array[]): Fields {
  const fields: { name: string; value: string }[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    fields.push({ name: latin1(raw[at]), value: latin1(raw[at + 1]).trim() });
  }
  return fields;
}

/** The values of a field, one per line, in order; `name` in lower case. */
export function fieldValues(fields: Fields, name: string): string[] {
  return fields.filter((field) => field.name.toLowerCase() === name).map((field) => field.value);
}

/** Whether a body that follows such fields ends only with its connection (RFC 9112 §6.3, cases 4 to 8). */
export function isCloseDelimited(statusCode: number, fields: Fields): boolean {
  if (statusCode === 204 || statusCode === 304) return false;
  const codings = fieldValues(fields, 'transfer-encoding').join(',');
  if (codings !== '') return !/(?:^|,)[\t ]*chunked[\t ]*$/i.test(codings);
  return fieldValues(fields, 'content-length').length === 0;
}

function latin1(bytes: Uint8Array | undefined): string {
  return bytes === undefined
    ? ''
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
