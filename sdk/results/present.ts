type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** `fields` without those that say nothing: `undefined`, an empty string, empty bytes. */
export function present<T extends Readonly<Record<string, unknown>>>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))) as Present<T>;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || (value instanceof Uint8Array && value.length === 0);
}
