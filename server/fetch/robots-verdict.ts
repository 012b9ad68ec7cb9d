import { Outcome } from '@decorum/proto/decorum/crawl/v1/result_pb.ts';
import { SignalSource } from '@decorum/proto/decorum/crawl/v1/capture_pb.ts';
import { RobotsState, type LeaseItem, type RobotsCopy } from '@decorum/proto/decorum/fetch/v1/lease_pb.ts';
import { decideRobotsForPurposes } from '@decorum/policy/robots/decide-robots-for-purposes.ts';
import type { QuotedRobotsLine } from '@decorum/policy/robots/decide-robots.ts';
import { parseRobots, type Robots } from '@decorum/policy/robots/parse-robots.ts';
import type { FoundSignal } from './read-signals.ts';

/** What an origin's robots.txt says of one URL (M5). */
export type RobotsVerdict =
  | {
      readonly kind: 'allowed';
      /** The deciding line as `12: Allow: /a`; empty when no rule matched. */
      readonly line: string;
      /** What refuses some of the purposes that asked, but not all. */
      readonly signals: readonly FoundSignal[];
    }
  | {
      readonly kind: 'refused';
      readonly outcome:
        | typeof Outcome.ROBOTS_DENIED
        | typeof Outcome.ROBOTS_UNREACHABLE
        | typeof Outcome.OPTED_OUT
        | typeof Outcome.NOT_TRIED;
      readonly detail: string;
    };

/** Decides by one copy of a robots.txt, which is parsed once. */
export type RobotsJudge = (item: Pick<LeaseItem, 'url' | 'purposes'>) => RobotsVerdict;

/** Makes the judge for a copy; without one nothing may be fetched yet. */
export function createRobotsJudge(copy: RobotsCopy | undefined, productToken: string): RobotsJudge {
  const state = copy?.state ?? RobotsState.UNSPECIFIED;
  switch (state) {
    case RobotsState.ALLOW_ALL:
      return () => ({ kind: 'allowed', line: '', signals: [] });
    case RobotsState.DISALLOW_ALL:
      return () => refused(Outcome.ROBOTS_UNREACHABLE, 'robots.txt is unreachable');
    case RobotsState.RULES: {
      const robots = parseRobots(copy?.content ?? new Uint8Array());
      return (item) => judge(robots, productToken, item);
    }
    default:
      return () => refused(Outcome.NOT_TRIED, 'robots.txt is not known yet');
  }
}

function judge(
  robots: Robots,
  productToken: string,
  item: Pick<LeaseItem, 'url' | 'purposes'>,
): RobotsVerdict {
  const purposeTokens = item.purposes.map((purpose) => ({
    purpose,
    token: purposeToken(productToken, purpose),
  }));
  const decision = decideRobotsForPurposes({ robots, productToken, purposeTokens, url: item.url });
  switch (decision.kind) {
    case 'DISALLOWED':
      return refused(Outcome.ROBOTS_DENIED, `robots.txt, line ${quote(decision.line)}`);
    case 'CRAWL_DELAY_TOO_LONG':
      return refused(Outcome.ROBOTS_DENIED, `robots.txt asks for a Crawl-delay of ${decision.crawlDelayS} s`);
    case 'ALLOWED': {
      const { refusals } = decision;
      const [first] = refusals;
      if (first !== undefined && refusals.length === item.purposes.length) {
        return refused(Outcome.OPTED_OUT, `robots.txt, line ${quote(first.line)}`);
      }
      const signals = refusals.map(({ purpose, line }) => ({
        source: SignalSource.ROBOTS,
        name: purposeToken(productToken, purpose),
        value: quote(line),
      }));
      return { kind: 'allowed', line: decision.line === undefined ? '' : quote(decision.line), signals };
    }
  }
}

/** `AI_TRAIN` is `decorumbot-ai-train` in a robots.txt, where a token has letters, `-` and `_` only. */
function purposeToken(productToken: string, purpose: string): string {
  return `${productToken}-${purpose.toLowerCase().replaceAll('_', '-')}`;
}

function quote({ number, text }: QuotedRobotsLine): string {
  return `${number}: ${text}`;
}

type Refusal = Extract<RobotsVerdict, { kind: 'refused' }>;

function refused(outcome: Refusal['outcome'], detail: string): RobotsVerdict {
  return { kind: 'refused', outcome, detail };
}
