import { Outcome } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import { canonicalizeUrl } from '@decorum/policy/url/canonicalize-url.ts';
import { fieldValues, type Fields } from './fields.ts';

/** What a complete head says became of the request. */
export type AnswerDecision = {
  readonly outcome:
    | typeof Outcome.FETCHED
    | typeof Outcome.NOT_MODIFIED
    | typeof Outcome.REDIRECTED
    | typeof Outcome.HTTP_RETRYABLE;
  /** The canonical target of a redirect; empty when it names nothing that can be fetched. */
  readonly redirectUrl: string;
};

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const RETRYABLE: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Decides the outcome of an answer by its status (RFC 9110 §15): a redirect needs a `Location`, a 304 counts as such only
 * when the request was conditional, and everything that is not to be tried again is a page, errors included.
 */
export function decideAnswer(input: {
  readonly statusCode: number;
  readonly fields: Fields;
  /** The canonical URL that was asked. */
  readonly url: string;
  readonly isConditional: boolean;
}): AnswerDecision {
  const { statusCode, fields, url } = input;
  if (statusCode === 304 && input.isConditional) return { outcome: Outcome.NOT_MODIFIED, redirectUrl: '' };
  if (RETRYABLE.has(statusCode) || (statusCode >= 500 && statusCode <= 599)) {
    return { outcome: Outcome.HTTP_RETRYABLE, redirectUrl: '' };
  }
  const location = readLocation(fields);
  if (!REDIRECTS.has(statusCode) || location === undefined)
    return { outcome: Outcome.FETCHED, redirectUrl: '' };
  const target = canonicalizeUrl(location, url);
  return { outcome: Outcome.REDIRECTED, redirectUrl: target.ok ? target.url : '' };
}

/** The first `Location`, read as UTF-8 where its bytes are that, as browsers do; else as ISO-8859-1. */
export function readLocation(fields: Fields): string | undefined {
  const value = fieldValues(fields, 'location')[0];
  if (value === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}
