import { DomainError } from './domain-error.ts';

/** A page token that says after which id the next page starts; opaque to callers. */
export function formatPageToken(lastId: string): string {
  return Buffer.from(lastId.replaceAll('-', ''), 'hex').toString('base64url');
}

/** The id in a page token; undefined for the empty one. Throws `invalid` (INVALID_PAGE_TOKEN) for anything else. */
export function parsePageToken(token: string): string | undefined {
  if (token === '') return undefined;
  const hex = Buffer.from(token, 'base64url').toString('hex');
  const parts = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(hex);
  if (parts !== null) return parts.slice(1).join('-');
  throw new DomainError({
    kind: 'invalid',
    reason: 'INVALID_PAGE_TOKEN',
    field: 'page_token',
    message: 'give the next_page_token of the page before, unchanged',
  });
}
