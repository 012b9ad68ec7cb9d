import { classifyUrl, type ClassifiedUrl } from '@decorum/policy/url/classify-url.ts';
import type { AddressBlocks } from '@decorum/policy/address/address-blocks.ts';

/** Bands are 0 to 7. */
export const BAND_MAX = 7;

/** The band of a request that names none. */
export const BAND_DEFAULT = 3;

/** How long a request may wait for its end when it names no deadline: 7 days. */
export const DEADLINE_MS_DEFAULT = 7 * 86_400_000;

/** How far away a deadline may be: 90 days. */
export const DEADLINE_MS_MAX = 90 * 86_400_000;

/** Body bytes of a request that names no limit. */
export const BODY_BYTES_DEFAULT = 10_000_000n;

/** Body bytes at most: 64 MiB, for sitemaps and feeds. */
export const BODY_BYTES_MAX = 67_108_864n;

/** Bytes of a tier's or a job's name. */
export const NAME_BYTES_MAX = 64;

/** How old an answer from the archive may be at most: 10 years. */
export const MAX_AGE_MS_MAX = 10 * 365 * 86_400_000;

/** Extractions that one request may list; there are fewer kinds, and a kind that is listed twice is done once. */
export const EXTRACT_MAX = 16;

/** Bytes of a client reference. */
export const CLIENT_REF_BYTES_MAX = 256;

/** 0001-01-01T00:00:00Z, where a Timestamp begins. */
const TIMESTAMP_MS_MIN = -62_135_596_800_000;

/** What a name can't have: control characters, and those that turn the direction of the text around them (UAX #9). */
const UNNAMEABLE = /[\0-\x1f\x7f\u202a-\u202e\u2066-\u2069]/;

/** One URL of a Submit, as parsed from the wire. */
export type SubmitItem = {
  readonly url: string;
  readonly band: number | undefined;
  /** `UNSPECIFIED`: a number that no reason has; what the caller left out is `DISCOVERY` by now. */
  readonly reason: string;
  readonly tier: string;
  readonly label: string;
  readonly notBefore: Date | undefined;
  readonly deadline: Date | undefined;
  readonly maxAgeMs: number | undefined;
  readonly onlyIfNew: boolean;
  readonly maxBodyBytes: bigint | undefined;
  /** `UNSPECIFIED`: left unset, or a number that no extraction has. */
  readonly extract: readonly string[];
  readonly clientRef: Uint8Array;
};

/** Why an item is refused before anything is looked up. */
export type ItemRefusal = {
  readonly ok: false;
  readonly reason: 'INVALID_URL' | 'TRAP' | 'ADDRESS_FORBIDDEN' | 'INVALID_OPTION';
  readonly field: string;
  readonly detail: string;
};

/**
 * Judges one item by itself: its URL's shape and the range of its options. `nowMs` is wall time and decides only whether
 * a deadline is absurd, never readiness.
 */
export function decideSubmitItem(
  item: SubmitItem,
  { nowMs, bandMax, exempt }: { nowMs: number; bandMax: number; exempt: AddressBlocks | undefined },
): ItemRefusal | ClassifiedUrl {
  const classified = classifyUrl(item.url, { exempt });
  if (!classified.ok) return { ...classified, field: 'url', detail: classified.detail };
  return decideOptions(item, nowMs, bandMax) ?? classified;
}

function decideOptions(item: SubmitItem, nowMs: number, bandMax: number): ItemRefusal | undefined {
  const { band, reason, maxAgeMs, maxBodyBytes, extract, clientRef } = item;
  if (band !== undefined && band > bandMax) return refuse('band', `0 to ${bandMax} for this tenant`);
  if (reason === 'UNSPECIFIED') return refuse('reason', 'is none that exists; leave it out for discovery');
  if (maxAgeMs !== undefined && !(maxAgeMs > 0 && maxAgeMs <= MAX_AGE_MS_MAX))
    return refuse('max_age', 'must be above 0 and at most 10 years; leave it out to always fetch');
  if (maxBodyBytes !== undefined && (maxBodyBytes < 1n || maxBodyBytes > BODY_BYTES_MAX)) {
    return refuse('max_body_bytes', `1 to ${BODY_BYTES_MAX}`);
  }
  if (extract.length > EXTRACT_MAX) return refuse('extract', `at most ${EXTRACT_MAX} values`);
  if (extract.includes('UNSPECIFIED')) return refuse('extract', 'has a value that does not exist');
  if (clientRef.length > CLIENT_REF_BYTES_MAX)
    return refuse('client_ref', `at most ${CLIENT_REF_BYTES_MAX} bytes`);
  return decideTimes(item, nowMs) ?? decideName('tier', item.tier) ?? decideName('label', item.label);
}

/** An instant that is none (out of a Timestamp's range) fails each comparison, so each asks for what must hold. */
function decideTimes({ notBefore, deadline }: SubmitItem, nowMs: number): ItemRefusal | undefined {
  if (deadline !== undefined && !(deadline.getTime() <= nowMs + DEADLINE_MS_MAX))
    return refuse('deadline', 'at most 90 days from now');
  if (deadline !== undefined && deadline.getTime() <= nowMs) return refuse('deadline', 'lies in the past');
  const end = deadline?.getTime() ?? nowMs + DEADLINE_MS_DEFAULT;
  if (notBefore !== undefined && !(notBefore.getTime() >= TIMESTAMP_MS_MIN && notBefore.getTime() < end)) {
    return refuse('not_before', 'must lie before the deadline (7 days from now unless given)');
  }
  return undefined;
}

function decideName(field: 'tier' | 'label', name: string): ItemRefusal | undefined {
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) return refuse(field, `at most ${NAME_BYTES_MAX} bytes`);
  return UNNAMEABLE.test(name) ? refuse(field, 'has control characters') : undefined;
}

function refuse(field: string, detail: string): ItemRefusal {
  return { ok: false, reason: 'INVALID_OPTION', field, detail: `${field}: ${detail}` };
}
