/**
 * `value` as one line of JSON: dates as ISO 8601, big integers as strings (64 bits do not fit a number), bytes as
 * Base64. Functions are left out.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === 'bigint') return item.toString();
    if (item instanceof Uint8Array) return Buffer.from(item).toString('base64');
    return item;
  });
}
