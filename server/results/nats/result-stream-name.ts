import assert from 'node:assert/strict';

/** What a stream of results belongs to. Each such stream numbers its results on its own, without gaps. */
export type ResultStream = {
  /** Letters, digits, `-` and `_`, at most 64. */
  tenant: string;
  lane: 'urgent' | 'bulk';
  cell: number;
  generation: number;
};

/** The JetStream stream that carries the notices of those results; also the subject they are published on. */
export function resultStreamName({ tenant, lane, cell, generation }: ResultStream): string {
  // A dot, star or blank would be read by NATS as structure, and could name another tenant's subjects.
  assert.match(tenant, /^[A-Za-z0-9_-]{1,64}$/, 'a tenant id in a stream name');
  assert(Number.isSafeInteger(cell) && Number.isSafeInteger(generation), 'cell and generation are integers');
  return `RESULTS_${tenant}_${lane}_${cell}_${generation}`;
}
