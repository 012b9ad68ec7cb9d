import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { durationMs, timestampDate } from '@bufbuild/protobuf/wkt';
import { Reason } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import type {
  ExtractedDocument as DocumentMessage,
  Result as ResultMessage,
  ResultNotice,
  ResultTimes as TimesMessage,
} from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import { Outcome, ResultKind } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import type { EnumName, GivenName } from '../client/enum-names.ts';
import { givenNameOf, nameOf } from '../client/enum-names.ts';
import type { Capture } from './capture.ts';
import { toCapture } from './capture.ts';
import type { LaneName } from './lane.ts';
import { fromLane } from './lane.ts';
import { present } from './present.ts';

/** What was taken out of an HTML document. */
export type ExtractedDocument = {
  readonly title?: string;
  /** BCP 47. */
  readonly language?: string;
  readonly text?: string;
  /** Absolute, canonical, in document order, each once. */
  readonly links: readonly string[];
  readonly linksTruncated: boolean;
  /** 64 bits; absent when it was not asked for. */
  readonly simhash?: bigint;
  readonly likelyNeedsRendering: boolean;
  /** Why something that was asked for is missing, as `not_html`. */
  readonly skipped?: string;
};

/** When a request passed each stage, by the platform's clock. */
export type ResultTimes = {
  readonly submittedAt?: Date;
  readonly leasedAt?: Date;
  readonly fetchedAt?: Date;
  readonly completedAt?: Date;
  readonly publishedAt?: Date;
  /** Request written to last header byte. */
  readonly responseTimeMs?: number;
  /** Request written to last body byte. */
  readonly totalTimeMs?: number;
};

/** How one request ended; a plain object. What does not apply is absent. */
export type Result = {
  /** Without gaps per lane, cell and generation, from 1. */
  readonly number: number;
  readonly lane: LaneName;
  readonly cell: number;
  readonly generation: number;
  readonly requestId: string;
  readonly kind: EnumName<typeof ResultKind>;
  /** The canonical URL that was asked for; absent when the result was taken down. */
  readonly url?: string;
  /** The URL that answered. */
  readonly finalUrl?: string;
  readonly redirects: readonly {
    readonly url: string;
    readonly statusCode: number;
    readonly captureId?: string;
  }[];
  /** The last attempt's. */
  readonly outcome?: GivenName<typeof Outcome>;
  /** What a person should know. */
  readonly detail?: string;
  readonly attempts: number;
  readonly capture?: Capture;
  readonly document?: ExtractedDocument;
  readonly times: ResultTimes;
  readonly reason?: GivenName<typeof Reason>;
  readonly band: number;
  readonly tier?: string;
  readonly label?: string;
  readonly clientRef?: Uint8Array;
  readonly takedownId?: string;
  /** This fetch answered requests of more than one tenant. */
  readonly coalesced: boolean;
};

/** A result's message as a plain object. */
export function toResult(message: ResultMessage): Result {
  return {
    number: Number(message.number),
    lane: fromLane(message.lane),
    cell: message.cell,
    generation: message.generation,
    requestId: message.requestId,
    kind: nameOf(ResultKind, message.kind),
    ...present({ url: message.url, finalUrl: message.finalUrl }),
    redirects: message.redirects.map(({ url, statusCode, captureId }) => ({
      url,
      statusCode,
      ...present({ captureId }),
    })),
    attempts: message.attempts,
    times: message.times === undefined ? {} : toTimes(message.times),
    band: message.band,
    coalesced: message.coalesced,
    ...present({
      outcome: givenNameOf(Outcome, message.outcome),
      detail: message.detail,
      capture: message.capture && toCapture(message.capture),
      document: message.document && toDocument(message.document),
      reason: givenNameOf(Reason, message.reason),
      tier: message.tier,
      label: message.label,
      clientRef: message.clientRef,
      takedownId: message.takedownId,
    }),
  };
}

/** What is left of a result whose record is gone: its retention was over before the notice was read. */
export function fromNotice(notice: ResultNotice): Result {
  return {
    number: Number(notice.number),
    lane: fromLane(notice.lane),
    cell: notice.cell,
    generation: notice.generation,
    requestId: notice.requestId,
    kind: nameOf(ResultKind, notice.kind),
    redirects: [],
    detail: 'The retention of this result is over; only its notice is left.',
    attempts: 0,
    times: {},
    band: 0,
    coalesced: false,
    ...present({ label: notice.label }),
  };
}

function toTimes(times: TimesMessage): ResultTimes {
  const date = (time: Timestamp | undefined) => time && timestampDate(time);
  return present({
    submittedAt: date(times.submittedAt),
    leasedAt: date(times.leasedAt),
    fetchedAt: date(times.fetchedAt),
    completedAt: date(times.completedAt),
    publishedAt: date(times.publishedAt),
    responseTimeMs: times.responseTime && durationMs(times.responseTime),
    totalTimeMs: times.totalTime && durationMs(times.totalTime),
  });
}

function toDocument(document: DocumentMessage): ExtractedDocument {
  return {
    links: [...document.links],
    linksTruncated: document.linksTruncated,
    likelyNeedsRendering: document.likelyNeedsRendering,
    ...present({
      title: document.title,
      language: document.language,
      text: document.text,
      simhash: document.simhash === 0n ? undefined : document.simhash,
      skipped: document.skipped,
    }),
  };
}
