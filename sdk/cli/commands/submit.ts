import { Extraction, Reason } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import type { ExtractionName, FetchInput, ReasonName } from '../../client/fetch-input.ts';
import type { SubmitOutcome } from '../../client/submit-requests.ts';
import type { CliContext } from '../cli-context.ts';
import { defineCommand } from '../command-module.ts';
import { EXIT } from '../exit-code.ts';
import { duration, enumName, enumNames, instant, wholeNumber } from '../option-parsers.ts';
import type { Column } from '../print-table.ts';
import { readSources } from '../read-sources.ts';
import { waitForResults } from '../wait-for-results.ts';

type Flags = {
  readonly band?: number;
  readonly reason?: ReasonName;
  readonly tier?: string;
  readonly label?: string;
  readonly notBefore?: Date;
  readonly deadline?: Date;
  readonly maxAge?: number;
  readonly onlyIfNew?: boolean;
  readonly maxBodyBytes?: number;
  readonly extract?: ExtractionName[];
  /** True, or how long at most. */
  readonly wait?: true | number;
};

const BODY_BYTES_MAX = 67_108_864;
const WAIT_MS = 300_000;

const COLUMNS: readonly Column<SubmitOutcome>[] = [
  { title: 'STATUS', value: ({ status }) => status, width: 15 },
  { title: 'REQUEST', value: ({ requestId }) => requestId, width: 36 },
  { title: 'URL', value: (outcome) => outcome.url + describeRefusal(outcome) },
];

/** `decorum submit`. Prints an outcome per URL; with `--wait`, then the results. */
export const submit = defineCommand<Flags>({
  name: 'submit',
  summary: 'ask for URLs',
  configure: (command) =>
    command
      .argument('<source...>', 'URLs, files with a URL or a JSON object a line, or - for standard input')
      .option('--band <n>', '0 (bulk) to 7 (urgent); default 3', wholeNumber(0, 7))
      .option('--reason <reason>', 'discovery (default), recrawl, feed or monitor', enumName(Reason))
      .option('--tier <name>', "the tenant's name for a freshness target")
      .option('--label <name>', "the tenant's name for a job")
      .option('--not-before <when>', 'an instant, or a duration from now, as 2h', instant)
      .option('--deadline <when>', 'an instant, or a duration from now; default 7d', instant)
      .option('--max-age <duration>', 'a capture at most this old will do, as 1h', duration)
      .option('--only-if-new', 'skip URLs that this tenant has submitted before')
      .option('--max-body-bytes <n>', 'cut bodies beyond; default 10000000', wholeNumber(1, BODY_BYTES_MAX))
      .option(
        '--extract <what>',
        'links, text, title, language, simhash, rendering-hint',
        enumNames(Extraction),
      )
      .option('--wait [duration]', 'wait for the results and print them; default at most 5m', duration),
  async run(context, { args, flags }) {
    const client = context.tenant();
    const ids: string[] = [];
    let refused = 0;
    for await (const outcome of client.submit(readInputs(context, args, flags), { signal: context.signal })) {
      await context.printRow(COLUMNS, outcome);
      if (outcome.status === 'REFUSED') refused += 1;
      if (outcome.requestId !== undefined) ids.push(outcome.requestId);
    }
    if (flags.wait !== undefined && ids.length > 0) {
      const ended = await waitForResults(context, client, ids, flags.wait === true ? WAIT_MS : flags.wait);
      if (!ended) return EXIT.failed;
    }
    return refused > 0 ? EXIT.refused : EXIT.ok;
  },
});

async function* readInputs(
  context: CliContext,
  args: readonly string[],
  flags: Flags,
): AsyncGenerator<FetchInput> {
  const common = {
    band: flags.band,
    reason: flags.reason,
    tier: flags.tier,
    label: flags.label,
    notBefore: flags.notBefore,
    deadline: flags.deadline,
    maxAgeMs: flags.maxAge,
    onlyIfNew: flags.onlyIfNew,
    maxBodyBytes: flags.maxBodyBytes,
    extract: flags.extract,
  };
  for await (const input of readSources(args, context.stdin)) yield { ...common, ...input };
}

function describeRefusal({ refusal, detail }: SubmitOutcome): string {
  if (refusal === undefined) return '';
  return ` (${refusal}${detail === undefined ? '' : `: ${detail}`})`;
}
