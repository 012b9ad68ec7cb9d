import { create } from '@bufbuild/protobuf';
import { durationFromMs, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { FetchRequest } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import { Extraction, FetchRequestSchema, Reason } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import { DecorumError } from './decorum-error.ts';
import type { GivenName } from './enum-names.ts';
import { givenNames, isGivenName } from './enum-names.ts';

/** What the platform takes out of an HTML document on request. */
export type ExtractionName = GivenName<typeof Extraction>;
/** Why a tenant wants a URL. */
export type ReasonName = GivenName<typeof Reason>;

/** One URL that a tenant wants, with its options; a bare string stands for `{ url }`. */
export type FetchInput = {
  /** http or https, at most 2,048 bytes once canonical. */
  readonly url: string;
  /** 0 (bulk) to 7 (urgent), inside the tenant's own share. Default 3. Results of 6 and 7 come on the lane `urgent`. */
  readonly band?: number | undefined;
  /** Default `DISCOVERY`. */
  readonly reason?: ReasonName | undefined;
  /** The tenant's name for a freshness target; at most 64 bytes. */
  readonly tier?: string | undefined;
  /** The tenant's name for a job; at most 64 bytes. */
  readonly label?: string | undefined;
  /** Not fetched before; default now. */
  readonly notBefore?: Date | undefined;
  /** Ends as EXPIRED at the latest then. Default 7 days from now, at most 90. */
  readonly deadline?: Date | undefined;
  /** A capture at most this old is the answer. Absent: always fetch. */
  readonly maxAgeMs?: number | undefined;
  /** KNOWN instead of a fetch when this tenant has submitted the URL before. */
  readonly onlyIfNew?: boolean | undefined;
  /** The body is cut and marked beyond. Default 10,000,000, at most 67,108,864. */
  readonly maxBodyBytes?: number | undefined;
  readonly extract?: readonly ExtractionName[] | undefined;
  /** Returned on the result as it came; at most 256 bytes. A string travels as UTF-8. */
  readonly clientRef?: Uint8Array | string | undefined;
};

/** The message for `input`. Throws `invalid_argument` for what the message can't hold; ranges are the server's to judge. */
export function toFetchRequest(input: FetchInput | string): FetchRequest {
  if (typeof input === 'string') return create(FetchRequestSchema, { url: input });
  return create(FetchRequestSchema, {
    url: input.url,
    reason: input.reason === undefined ? Reason.UNSPECIFIED : toNumber('reason', Reason, input.reason),
    tier: input.tier ?? '',
    label: input.label ?? '',
    onlyIfNew: input.onlyIfNew ?? false,
    extract: (input.extract ?? []).map((name) => toNumber('extract', Extraction, name)),
    clientRef:
      typeof input.clientRef === 'string'
        ? new TextEncoder().encode(input.clientRef)
        : (input.clientRef ?? new Uint8Array()),
    ...(input.band !== undefined && { band: toWhole('band', input.band) }),
    ...(input.notBefore !== undefined && {
      notBefore: timestampFromDate(toDate('notBefore', input.notBefore)),
    }),
    ...(input.deadline !== undefined && { deadline: timestampFromDate(toDate('deadline', input.deadline)) }),
    ...(input.maxAgeMs !== undefined && { maxAge: durationFromMs(toWhole('maxAgeMs', input.maxAgeMs)) }),
    ...(input.maxBodyBytes !== undefined && {
      maxBodyBytes: BigInt(toWhole('maxBodyBytes', input.maxBodyBytes)),
    }),
  });
}

function toNumber<E extends Readonly<Record<string, number>>>(
  field: string,
  names: E,
  name: Extract<keyof E, string>,
): E[keyof E] {
  if (isGivenName(names, name)) return names[name];
  throw invalid(field, `${field} "${name}" is not known; give one of ${givenNames(names).join(', ')}`);
}

function toWhole(field: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw invalid(field, `${field} must be a whole number that is not negative, not ${value}`);
}

function toDate(field: string, value: Date): Date {
  if (!Number.isNaN(value.getTime())) return value;
  throw invalid(field, `${field} is no valid date`);
}

function invalid(field: string, message: string): DecorumError {
  return new DecorumError({ code: 'invalid_argument', reason: 'INVALID_OPTION', message, field });
}
