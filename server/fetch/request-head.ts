import type { Validators } from '@decorum/proto/decorum/fetch/v1/lease_pb.ts';

/** Who we say we are, to every site alike. */
export type FetchIdentity = {
  /** The `User-Agent`: product, version, and the URL of the page that explains us. */
  readonly userAgent: string;
  /** The `From` field: an address that a person reads (RFC 9110 §10.1.2). */
  readonly from: string;
  /** The name that robots.txt knows us by (RFC 9309 §2.2.1): letters, `-` and `_`. */
  readonly productToken: string;
};

/** Field lines in the order they are sent. */
export type RequestFields = readonly (readonly [name: string, value: string])[];

/** The content codings that we ask for: each can be stored as it came and decoded later (`decodeContent`). */
export const ACCEPT_ENCODING = 'gzip, br, zstd';

/** The longest validator that is sent back, in characters; longer ones are rather ours to question than to echo. */
export const VALIDATOR_CHARACTERS_MAX = 1_024;

/**
 * Lists every field that a request has beside `Host` and `Connection`. The list is fixed: no cookie, no credential, and
 * nothing that a tenant said. With validators of an earlier capture the request is conditional (RFC 9110 §13.1).
 */
export function buildRequestFields(identity: FetchIdentity, validators: Validators | null): RequestFields {
  const etag = usable(validators?.etag);
  const lastModified = usable(validators?.lastModified);
  return [
    ['User-Agent', identity.userAgent],
    ['From', identity.from],
    ['Accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
    ['Accept-Encoding', ACCEPT_ENCODING],
    ['Accept-Language', 'en,*;q=0.5'],
    ...(etag === '' ? [] : [['If-None-Match', etag] as const]),
    ...(lastModified === '' ? [] : [['If-Modified-Since', lastModified] as const]),
  ];
}

/**
 * Writes the head of a request as the HTTP client does, for the archive. A test compares it with what arrives at a site.
 */
export function formatRequestHead(input: { host: string; path: string; fields: RequestFields }): Uint8Array {
  const lines = [
    `GET ${input.path} HTTP/1.1`,
    `host: ${input.host}`,
    'connection: keep-alive',
    ...input.fields.map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

/** What came as ISO-8859-1 goes back as such; what cannot stand in a field does not go back. */
function usable(validator: string | undefined): string {
  const text = validator ?? '';
  return text.length <= VALIDATOR_CHARACTERS_MAX && /^[\x20-\x7e\x80-\xff]*$/.test(text) ? text : '';
}
