/** A result that was asked for, and what reading it whole takes. */
export type FoundResult = {
  readonly resultId: bigint;
  /** null: not numbered yet. */
  readonly number: bigint | null;
  /** About as many bytes as it has in an answer. */
  readonly bytes: number;
};

/** What a result `r` with its capture `c` takes in an answer: what varies is measured, the rest is a flat kilobyte. */
export const RESULT_BYTES = `
  (1024 + octet_length(r.url) + octet_length(r.final_url) + octet_length(r.redirects::text)
    + coalesce(octet_length(r.document::text), 0)
    + coalesce(octet_length(c.url) + octet_length(c.headers::text) + octet_length(c.signals::text), 0))::float8
`;
