import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create } from '@bufbuild/protobuf';
import { Outcome } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import { RobotsCopySchema, RobotsState } from '@decorum/proto/decorum/fetch/v1/lease_pb.ts';
import { createRobotsJudge } from './robots-verdict.ts';

function judge(state: RobotsState, content = '', purposes = ['SEARCH'], url = 'http://h.test/a') {
  const copy = create(RobotsCopySchema, { state, content: Buffer.from(content) });
  return createRobotsJudge(copy, 'decorumbot')({ url, purposes });
}

const outcomeOf = (...parts: Parameters<typeof judge>) => {
  const verdict = judge(...parts);
  return verdict.kind === 'allowed' ? 'allowed' : verdict.outcome;
};

test('M5: only rules that allow, or their known absence, let a page be fetched', () => {
  assert.equal(outcomeOf(RobotsState.ALLOW_ALL), 'allowed');
  assert.equal(outcomeOf(RobotsState.DISALLOW_ALL), Outcome.ROBOTS_UNREACHABLE);
  assert.equal(outcomeOf(RobotsState.UNSPECIFIED), Outcome.NOT_TRIED);
  assert.equal(outcomeOf(99 as RobotsState), Outcome.NOT_TRIED);
  const none = createRobotsJudge(undefined, 'decorumbot')({ url: 'http://h.test/', purposes: [] });
  assert.equal(none.kind === 'refused' && none.outcome, Outcome.NOT_TRIED);
});

test('rules speak to the product token, else to all', () => {
  assert.equal(outcomeOf(RobotsState.RULES, 'User-agent: *\nDisallow: /a'), Outcome.ROBOTS_DENIED);
  assert.equal(
    outcomeOf(RobotsState.RULES, 'User-agent: *\nDisallow: /a\nUser-agent: DecorumBot\nAllow: /'),
    'allowed',
  );
  assert.equal(outcomeOf(RobotsState.RULES, ''), 'allowed');
  const verdict = judge(RobotsState.RULES, 'User-agent: *\nDisallow: /\nAllow: /a');
  assert.equal(verdict.kind === 'allowed' && verdict.line, '3: Allow: /a');
});

test('a Crawl-delay of over an hour allows nothing, and says so', () => {
  const verdict = judge(RobotsState.RULES, 'User-agent: *\nCrawl-delay: 3601');
  assert.equal(verdict.kind === 'refused' && verdict.outcome, Outcome.ROBOTS_DENIED);
  assert.match(verdict.kind === 'refused' ? verdict.detail : '', /Crawl-delay of 3601 s/);
  assert.equal(outcomeOf(RobotsState.RULES, 'User-agent: *\nCrawl-delay: 3600'), 'allowed');
});

test('the purposes that asked are refused one by one; only when all are, nothing is fetched', () => {
  const rules = 'User-agent: decorumbot-ai-train\nUser-agent: decorumbot-archive\nDisallow: /';
  assert.equal(outcomeOf(RobotsState.RULES, rules, ['AI_TRAIN']), Outcome.OPTED_OUT);
  assert.equal(outcomeOf(RobotsState.RULES, rules, ['AI_TRAIN', 'ARCHIVE']), Outcome.OPTED_OUT);
  const verdict = judge(RobotsState.RULES, rules, ['AI_TRAIN', 'SEARCH']);
  assert.deepEqual(verdict.kind === 'allowed' && verdict.signals.map(({ name }) => name), [
    'decorumbot-ai-train',
  ]);
  assert.equal(outcomeOf(RobotsState.RULES, rules, []), 'allowed');
});
