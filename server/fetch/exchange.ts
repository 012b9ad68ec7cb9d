import type { SpooledBody, Spool } from '../archive/spool.ts';
import type { FetchFailure } from './fetch-failure.ts';
import type { Fields } from './fields.ts';
import type { RequestFields } from './request-head.ts';

/** One request to be made. */
export type ExchangeRequest = {
  /** Path and query, as in the canonical URL. */
  readonly path: string;
  readonly fields: RequestFields;
  /** Where the body goes; disposed of by whoever made it. */
  readonly spool: Spool;
  readonly bodyBytesMax: number;
  /** Aborts the exchange with a FetchFailure. */
  readonly signal: AbortSignal;
};

/** Why a body is shorter than what the site had. */
export type CutBody = 'length' | 'time' | 'disconnect';

/** An answer whose head came whole. */
export type Answer = {
  /** As received, with its closing empty line. */
  readonly head: Uint8Array;
  readonly statusCode: number;
  readonly fields: Fields;
  readonly body: SpooledBody;
  readonly truncation: CutBody | null;
  readonly isCloseDelimited: boolean;
};

/** What became of a request. Times in milliseconds of the monotonic clock, unless said otherwise. */
export type Exchange = {
  /** As sent; null when nothing was written. */
  readonly requestHead: Uint8Array | null;
  /** On the wall clock; when the request was written, else when it was given up. */
  readonly writtenAtWallMs: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Request written to last header byte; null when no head came whole. */
  readonly responseTimeMs: number | null;
  readonly totalTimeMs: number;
  /** A connection was dialled or a request written: the site may have noticed. */
  readonly touchedSite: boolean;
  readonly bytesReceived: number;
  readonly bytesSent: number;
  /** The connection had served an earlier request. */
  readonly isReused: boolean;
  /** Some byte of an answer came. */
  readonly isAnswered: boolean;
  readonly answer: Answer | null;
  /** Null when the answer is complete, or was cut by a limit that makes no failure (TRUNCATION). */
  readonly failure: FetchFailure | null;
};
