const URLS = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]+/gi;
const KEYS = /\bdk_[A-Za-z0-9-]+_[A-Za-z0-9_-]+/g;
const JWTS = /\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_.-]+/g;
const SEEDS = /\bS[UAO][A-Z2-7]{56}\b/g;

/**
 * Takes URLs, keys of ours, JWTs and nkey seeds out of a text that is about to be logged (L2). A net below code that
 * should not have put them there; source positions of stack traces (`file://…`) stay.
 */
export function redact(text: string): string {
  return text
    .replace(URLS, (url) => (url.startsWith('file:') || url.startsWith('node:') ? url : '[url]'))
    .replace(KEYS, '[key]')
    .replace(JWTS, '[jwt]')
    .replace(SEEDS, '[seed]');
}
