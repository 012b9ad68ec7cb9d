import { setTimeout as sleep } from 'node:timers/promises';
import type { Decorum } from '../client/connect.ts';
import type { CliContext } from './cli-context.ts';
import { RESULT_COLUMNS } from './result-columns.ts';

const POLL_MS = 500;
const POLL_MS_MAX = 5_000;
/** Ids that are asked about at a time; the rest waits for its turn. */
const POLL_IDS_MAX = 1_000;

/** Prints the results of `ids` as the requests end; false when some have not ended after `waitMs`. */
export async function waitForResults(
  context: CliContext,
  client: Decorum,
  ids: readonly string[],
  waitMs: number,
): Promise<boolean> {
  const pending = new Set(ids);
  const giveUpAt = performance.now() + waitMs;
  for (let pollMs = POLL_MS; pending.size > 0; pollMs = Math.min(pollMs * 1.5, POLL_MS_MAX)) {
    const requestIds = [...pending].slice(0, POLL_IDS_MAX);
    const answers = await client.getResults({ requestIds }, { signal: context.signal });
    for (const [i, { status, result }] of answers.entries()) {
      const requestId = requestIds[i];
      if (requestId === undefined || status === 'PENDING') continue;
      pending.delete(requestId);
      if (result === undefined) context.note(`Request ${requestId}: its result is not known any more.`);
      else await context.printRow(RESULT_COLUMNS, result);
    }
    if (pending.size === 0) break;
    if (performance.now() + pollMs > giveUpAt) {
      context.note(
        `${pending.size} of ${ids.length} requests have not ended. See them come with: npx decorum results --follow`,
      );
      return false;
    }
    await sleep(pollMs, undefined, { signal: context.signal });
  }
  return true;
}
