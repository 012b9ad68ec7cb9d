import { defineCommand } from '../command-module.ts';
import { EXIT } from '../exit-code.ts';

type Flags = { readonly id?: readonly string[]; readonly label?: string; readonly site?: string };

/** `decorum cancel`. Goes on until nothing that is selected is left. */
export const cancel = defineCommand<Flags>({
  name: 'cancel',
  summary: 'end pending requests; all that is given must match',
  configure: (command) =>
    command
      .option('--id <id...>', 'requests, as submit printed them; at most 1000')
      .option('--label <name>', "all of the tenant's job")
      .option('--site <domain>', 'all of a registrable domain'),
  async run(context, { flags: { id = [], label = '', site = '' } }) {
    const { crawl } = context.tenant().api;
    const selector = { requestIds: [...id], label, site };
    let total = 0;
    let isDone = false;
    while (!isDone) {
      const { cancelled, more } = await crawl.cancel({ selector }, { signal: context.signal });
      total += Number(cancelled);
      isDone = !more;
    }
    await context.printFields({ cancelled: total }, { cancelled: total });
    return EXIT.ok;
  },
});
