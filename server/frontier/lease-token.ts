/** A lease's fence: the lease and the generation it was given out in (D3, D6). */
export type LeaseToken = { readonly leaseId: string; readonly generation: number };

const FORM = /^(0|[1-9]\d{0,8})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The token's text, opaque to workers. */
export function formatLeaseToken({ leaseId, generation }: LeaseToken): string {
  return `${generation}.${leaseId}`;
}

/**
 * Reads a token's text; undefined for anything that was never a token, which is then as good as stale. A token has one
 * spelling (no leading zeros), so that two texts never name the same lease in the same generation.
 */
export function parseLeaseToken(text: string): LeaseToken | undefined {
  const match = FORM.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { generation: Number(match[1]), leaseId: match[2] };
}
