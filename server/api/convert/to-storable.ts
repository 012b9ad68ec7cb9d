/**
 * What Postgres can hold of a value of plain objects, arrays and texts: `text` and `jsonb` know no NUL character, `jsonb`
 * no half of a surrogate pair. NULs are dropped and halves become U+FFFD, in names and values; everything else (numbers,
 * bytes, dates) is given back as it is.
 */
export function toStorable<T>(value: T): T {
  return clean(value) as T;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed();
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [clean(name), clean(member)]));
}
