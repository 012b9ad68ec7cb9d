import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Outcome } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import { decideAnswer } from './decide-answer.ts';
import { isCloseDelimited } from './fields.ts';

const fields = (...lines: [string, string][]) => lines.map(([name, value]) => ({ name, value }));
const URL_ASKED = 'http://h.test/dir/page';

test('every final status has its outcome', () => {
  for (let statusCode = 200; statusCode <= 599; statusCode += 1) {
    const { outcome } = decideAnswer({ statusCode, fields: [], url: URL_ASKED, isConditional: false });
    const isRetryable = [408, 425, 429].includes(statusCode) || statusCode >= 500;
    assert.equal(outcome, isRetryable ? Outcome.HTTP_RETRYABLE : Outcome.FETCHED, `${statusCode}`);
  }
});

test('a redirect needs one of the five statuses and a Location, the first of which counts', () => {
  for (let statusCode = 200; statusCode <= 499; statusCode += 1) {
    const location = fields(['location', '../x'], ['Location', '/y']);
    const decision = decideAnswer({ statusCode, fields: location, url: URL_ASKED, isConditional: false });
    const isRedirect = [301, 302, 303, 307, 308].includes(statusCode);
    assert.equal(decision.outcome === Outcome.REDIRECTED, isRedirect, `${statusCode}`);
    assert.equal(decision.redirectUrl, isRedirect ? 'http://h.test/x' : '');
  }
});

test('a 304 means not modified only to who asked', () => {
  const decide = (isConditional: boolean) =>
    decideAnswer({ statusCode: 304, fields: [], url: URL_ASKED, isConditional }).outcome;
  assert.equal(decide(true), Outcome.NOT_MODIFIED);
  assert.equal(decide(false), Outcome.FETCHED);
});

test('a body ends with its connection when nothing else says where', () => {
  assert.equal(isCloseDelimited(200, fields()), true);
  assert.equal(isCloseDelimited(200, fields(['content-length', '0'])), false);
  assert.equal(isCloseDelimited(200, fields(['Transfer-Encoding', 'gzip, Chunked'])), false);
  assert.equal(
    isCloseDelimited(200, fields(['Transfer-Encoding', 'chunked'], ['transfer-encoding', 'gzip'])),
    true,
  );
  assert.equal(isCloseDelimited(204, fields()), false);
  assert.equal(isCloseDelimited(304, fields()), false);
});
