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

/** Bytes of a client reference. */
export const CLIENT_REF_BYTES_MAX = 256;

/** One URL of a Submit, as parsed from the wire. */
export type SubmitItem = {
  readonly url: string;
  readonly band: number | undefined;
  readonly reason: string;
  readonly tier: string;
  readonly label: string;
  readonly notBefore: Date | undefined;
  readonly deadline: Date | undefined;
  readonly maxAgeMs: number | undefined;
  readonly onlyIfNew: boolean;
  readonly maxBodyBytes: bigint | undefined;
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
  const { band, notBefore, deadline, maxAgeMs, maxBodyBytes } = item;
  const latest = nowMs + DEADLINE_MS_MAX;
  if (band !== undefined && band > bandMax) return refuse('band', `0 to ${bandMax} for this tenant`);
  if (deadline !== undefined && deadline.getTime() > latest)
    return refuse('deadline', 'at most 90 days from now');
  if (deadline !== undefined && deadline.getTime() <= nowMs) return refuse('deadline', 'lies in the past');
  if (
    notBefore !== undefined &&
    notBefore.getTime() >= (deadline?.getTime() ?? nowMs + DEADLINE_MS_DEFAULT)
  ) {
    return refuse('not_before', 'must lie before the deadline (7 days from now unless given)');
  }
  if (maxAgeMs !== undefined && !(maxAgeMs > 0))
    return refuse('max_age', 'must be above 0; leave it out to always fetch');
  if (maxBodyBytes !== undefined && (maxBodyBytes < 1n || maxBodyBytes > BODY_BYTES_MAX)) {
    return refuse('max_body_bytes', `1 to ${BODY_BYTES_MAX}`);
  }
  for (const field of ['tier', 'label'] as const) {
    if (Buffer.byteLength(item[field]) > NAME_BYTES_MAX)
      return refuse(field, `at most ${NAME_BYTES_MAX} bytes`);
    if (/[\0-\x1f]/.test(item[field])) return refuse(field, 'has control characters');
  }
  if (item.clientRef.length > CLIENT_REF_BYTES_MAX)
    return refuse('client_ref', `at most ${CLIENT_REF_BYTES_MAX} bytes`);
  return undefined;
}

function refuse(field: string, detail: string): ItemRefusal {
  return { ok: false, reason: 'INVALID_OPTION', field, detail: `${field}: ${detail}` };
}
