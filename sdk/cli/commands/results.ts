import { Option } from 'commander';
import type { LaneName } from '../../results/lane.ts';
import { LANES } from '../../results/lane.ts';
import { defineCommand } from '../command-module.ts';
import { EXIT } from '../exit-code.ts';
import { wholeNumber } from '../option-parsers.ts';
import { RESULT_COLUMNS } from '../result-columns.ts';

type Flags = {
  readonly follow?: boolean;
  readonly group: string;
  readonly lane: LaneName;
  readonly limit?: number;
  readonly start?: number;
  readonly ack: boolean;
};

/** `decorum results`. Results are acknowledged once they are printed. */
export const results = defineCommand<Flags>({
  name: 'results',
  summary: 'print results, and acknowledge what was printed',
  configure: (command) =>
    command
      .option('--follow', 'go on as results are published, until Ctrl-C')
      .option('--group <name>', "the consumer group; a team's own readers have others", 'cli')
      .addOption(new Option('--lane <lane>', 'bands 6 and 7 are urgent').choices([...LANES]).default('bulk'))
      .option('--limit <n>', 'stop after this many', wholeNumber(1, 1_000_000_000))
      .option(
        '--start <number>',
        'where a group that is new starts; default the oldest',
        wholeNumber(1, Number.MAX_SAFE_INTEGER),
      )
      .option('--no-ack', 'leave them to come again'),
  async run(context, { flags }) {
    const { group, lane, start: startNumber, follow = false, limit = Number.POSITIVE_INFINITY } = flags;
    let printed = 0;
    const { signal } = context;
    for await (const result of context.tenant().results({ group, lane, follow, startNumber, signal })) {
      await context.printRow(RESULT_COLUMNS, result);
      if (flags.ack) result.ack();
      printed += 1;
      if (printed >= limit) break;
    }
    if (printed === 0 && !context.json)
      context.note(`No results are waiting for group ${group} on lane ${lane}.`);
    return EXIT.ok;
  },
});
