import type { Counter } from '@opentelemetry/api';

/** A counter that can be read. */
export function createMemoryCounter(): Counter & { readonly total: () => number } {
  let total = 0;
  return { add: (value) => void (total += value), total: () => total };
}
