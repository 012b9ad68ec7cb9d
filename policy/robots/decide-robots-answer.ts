import { canonicalizeUrl } from '../url/canonicalize-url.ts';

/** How many redirects we follow from a robots.txt, over all hosts: the five that RFC 9309 §2.3.1.2 makes the least. */
export const ROBOTS_REDIRECTS_MAX = 5;

/** Why there are no rules, and so no limits. */
export type RobotsUnavailability = 'STATUS' | 'TOO_MANY_REDIRECTS' | 'REDIRECT_LOOP';

/** Why we cannot know the rules; `NETWORK` is for the caller to say: DNS, connect, TLS, time, reset, forbidden address. */
export type RobotsUnreachability =
  'STATUS' | 'REDIRECT_WITHOUT_TARGET' | 'REDIRECT_TARGET_REFUSED' | 'NETWORK';

/** What the head of an answer to a request for robots.txt means. */
export type RobotsAnswer =
  | { readonly kind: 'READ_BODY' }
  | { readonly kind: 'FOLLOW'; readonly url: string }
  | { readonly kind: 'UNAVAILABLE'; readonly reason: RobotsUnavailability }
  | { readonly kind: 'UNREACHABLE'; readonly reason: RobotsUnreachability };

/**
 * Decides by status and `Location` (RFC 9309 §2.3.1) what follows from an answer: a body is read on 2xx only, whatever
 * others bring along; 4xx means no rules, save 429, which like 5xx and every other status forbids all for now. A redirect
 * is followed to any host, unless ROBOTS_REDIRECTS_MAX were or it closes a loop; the rules found there are those of the
 * origin that was asked first. The target is as unknown as any URL: the caller takes the gates of its site and checks the
 * address before it connects.
 */
export function decideRobotsAnswer(input: {
  readonly status: number;
  /** The value of the `Location` field, if there is one. */
  readonly location?: string | undefined;
  /** The canonical URLs that were asked, the last of which gave this answer. */
  readonly asked: readonly [string, ...string[]];
}): RobotsAnswer {
  const { status, location, asked } = input;
  if (status >= 200 && status <= 299) return { kind: 'READ_BODY' };
  if (REDIRECTS.has(status)) return decideRedirect(location, asked);
  if (status >= 400 && status <= 499 && status !== 429) return { kind: 'UNAVAILABLE', reason: 'STATUS' };
  return { kind: 'UNREACHABLE', reason: 'STATUS' };
}

// Of the others, 304 answers a question we do not ask and 305 names a proxy.
const REDIRECTS: ReadonlySet<number> = new Set([300, 301, 302, 303, 307, 308]);

function decideRedirect(location: string | undefined, asked: readonly string[]): RobotsAnswer {
  if (location === undefined) return { kind: 'UNREACHABLE', reason: 'REDIRECT_WITHOUT_TARGET' };
  const target = canonicalizeUrl(location, asked.at(-1));
  if (!target.ok) return { kind: 'UNREACHABLE', reason: 'REDIRECT_TARGET_REFUSED' };
  if (asked.includes(target.url)) return { kind: 'UNAVAILABLE', reason: 'REDIRECT_LOOP' };
  if (asked.length > ROBOTS_REDIRECTS_MAX) return { kind: 'UNAVAILABLE', reason: 'TOO_MANY_REDIRECTS' };
  return { kind: 'FOLLOW', url: target.url };
}
