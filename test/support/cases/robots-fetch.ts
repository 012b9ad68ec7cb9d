// robots-fetch-cases.json: what a robots.txt answer (status, redirect, network failure, age) means. The pure decisions
// are driven as the fetch worker drives them, over answers from the case instead of the network.
import { decideAddress } from '@decorum/policy/address/decide-address.ts';
import { decideHostName } from '@decorum/policy/address/decide-host-name.ts';
import { cutRobots } from '@decorum/policy/robots/cut-robots.ts';
import { decideRobotsAnswer } from '@decorum/policy/robots/decide-robots-answer.ts';
import { decideRobots } from '@decorum/policy/robots/decide-robots.ts';
import { parseMaxAge } from '@decorum/policy/robots/parse-max-age.ts';
import { parseRobots } from '@decorum/policy/robots/parse-robots.ts';
import type { RobotsOutcome, RobotsState } from '@decorum/policy/robots/robots-state.ts';
import { advanceRobotsState, isRobotsDue, robotsInForce } from '@decorum/policy/robots/robots-state.ts';
import { isIP } from 'node:net';
import type { CaseRunner } from './case-runner.ts';
import { judgeEach } from './case-runner.ts';

type Answer = 'allow' | 'deny';

interface Step {
  readonly status?: number;
  readonly body?: string;
  readonly location?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A failure of the network instead of an answer. */
  readonly error?: string;
}

interface TimelineEvent {
  readonly at_s: number;
  /** What the server answers from now on. */
  readonly robots?: Step;
  readonly headers?: Readonly<Record<string, string>>;
  readonly ask?: string;
  readonly expected?: Answer | 'either';
  readonly expected_in?: readonly Answer[];
}

interface RobotsFetchCase {
  readonly id: string;
  readonly steps?: readonly Step[];
  readonly expected?: Readonly<Record<string, Answer | 'either'>>;
  readonly either?: readonly Readonly<Record<string, Answer>>[];
  readonly must_not_connect?: readonly string[];
  readonly timeline?: readonly TimelineEvent[];
}

const ORIGIN = 'http://site.example';

export const runCases: CaseRunner = (file) =>
  judgeEach(file.cases as readonly RobotsFetchCase[], (one) =>
    one.timeline === undefined ? judgeSteps(one) : judgeTimeline(one.timeline),
  );

function judgeSteps(one: RobotsFetchCase): string | undefined {
  if (one.steps === undefined || one.expected === undefined)
    return 'nothing to judge: no steps, or no expected';
  const server = createServer(one.steps);
  const state = advanceRobotsState(null, fetchRobots(server), 0);

  const met = server.connectedHosts.filter((host) => one.must_not_connect?.includes(host));
  if (met.length > 0) return `connected to ${met.join(', ')}`;
  const accepted = [one.expected, ...(one.either ?? [])];
  if (accepted.some((expected) => holds(expected, state))) return undefined;
  const paths = Object.keys(one.expected);
  const got = Object.fromEntries(paths.map((path) => [path, answerFor(path, state, 0)]));
  return `expected ${accepted.map((each) => JSON.stringify(each)).join(' or ')}, got ${JSON.stringify(got)}`;
}

function holds(expected: Readonly<Record<string, Answer | 'either'>>, state: RobotsState): boolean {
  return Object.entries(expected).every(
    ([path, answer]) => answer === 'either' || answerFor(path, state, 0) === answer,
  );
}

function judgeTimeline(timeline: readonly TimelineEvent[]): string | undefined {
  let state: RobotsState | null = null;
  let step: Step = { error: 'never said' };
  for (const event of timeline) {
    const nowMs = event.at_s * 1_000;
    if (event.robots !== undefined)
      step = { ...event.robots, ...(event.headers && { headers: event.headers }) };
    if (isRobotsDue(state, nowMs))
      state = advanceRobotsState(state, fetchRobots(createServer([step])), nowMs);
    if (event.ask === undefined || event.expected === 'either') continue;
    const accepted = event.expected_in ?? (event.expected === undefined ? [] : [event.expected]);
    const got = answerFor(event.ask, state, nowMs);
    if (accepted.length > 0 && !accepted.includes(got)) {
      return `at ${event.at_s} s: expected ${accepted.join(' or ')} for ${event.ask}, got ${got}`;
    }
  }
  return undefined;
}

function answerFor(path: string, state: RobotsState | null, nowMs: number): Answer {
  const inForce = robotsInForce(state, nowMs);
  if (inForce.kind === 'ALLOW_ALL') return 'allow';
  if (inForce.kind === 'DISALLOW_ALL') return 'deny';
  const robots = parseRobots(inForce.content);
  return decideRobots({ robots, productToken: 'decorumbot', url: ORIGIN + path }).allowed ? 'allow' : 'deny';
}

interface StubServer {
  readonly connectedHosts: readonly string[];
  /** Answers the steps in order, the last one again and again. A forbidden address fails like one that cannot be reached. */
  readonly get: (url: string) => Step;
}

function createServer(steps: readonly Step[]): StubServer {
  const connectedHosts: string[] = [];
  const left = [...steps];
  return {
    connectedHosts,
    get: (url) => {
      const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
      if (isForbidden(host)) return { error: 'address forbidden' };
      connectedHosts.push(host);
      return (left.length > 1 ? left.shift() : left[0]) ?? { error: 'no step' };
    },
  };
}

function isForbidden(host: string): boolean {
  return isIP(host) === 0 ? decideHostName(host).kind === 'refused' : decideAddress(host).kind === 'refused';
}

function fetchRobots(server: StubServer): RobotsOutcome {
  const asked: [string, ...string[]] = [`${ORIGIN}/robots.txt`];
  for (;;) {
    const step = server.get(asked.at(-1) ?? asked[0]);
    if (step.status === undefined || step.error !== undefined)
      return { kind: 'UNREACHABLE', reason: 'NETWORK' };
    const answer = decideRobotsAnswer({ status: step.status, location: step.location, asked });
    const maxAgeS = parseMaxAge(cacheControlOf(step));
    if (answer.kind === 'FOLLOW') asked.push(answer.url);
    else if (answer.kind === 'READ_BODY') {
      return { kind: 'RULES', content: cutRobots(Buffer.from(step.body ?? '')).content, maxAgeS };
    } else if (answer.kind === 'UNAVAILABLE') return { ...answer, maxAgeS };
    else return answer;
  }
}

function cacheControlOf(step: Step): readonly string[] {
  return Object.entries(step.headers ?? {}).flatMap(([name, value]) =>
    name.toLowerCase() === 'cache-control' ? [value] : [],
  );
}
