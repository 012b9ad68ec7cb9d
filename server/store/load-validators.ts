import type { Transaction } from './database.ts';

/** What the last whole capture of a URL says of itself, for a conditional request and for telling the same body again. */
export type StoredValidators = {
  readonly url: string;
  readonly captureId: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Hex. */
  readonly payloadSha256: string;
};

/** The validators of URLs that were captured before: status 200, not cut, with the body in the capture itself. */
export async function loadValidators(
  sql: Transaction,
  urls: readonly { readonly url: string; readonly urlHash: Uint8Array }[],
): Promise<StoredValidators[]> {
  if (urls.length === 0) return [];
  return sql<StoredValidators[]>`
    select n.url, c.capture_id as "captureId", encode(c.payload_sha256, 'hex') as "payloadSha256",
      (select h->>'value' from jsonb_array_elements(c.headers) h where lower(h->>'name') = 'etag' limit 1) as etag,
      (select h->>'value' from jsonb_array_elements(c.headers) h where lower(h->>'name') = 'last-modified' limit 1)
        as "lastModified"
    from unnest(
      ${urls.map(({ url }) => url)}::text[], ${urls.map(({ urlHash }) => Buffer.from(urlHash).toString('hex'))}::text[]
    ) as n(url, url_hash)
    cross join lateral (
      select capture_id, payload_sha256, headers from capture
      where url_hash = decode(n.url_hash, 'hex') and status_code = 200 and truncation is null
        and revisit_of_capture_id is null and payload_sha256 is not null
      order by fetched_at desc limit 1
    ) c
  `;
}
