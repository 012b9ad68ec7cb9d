import { RequestState } from '@decorum/proto/decorum/crawl/v1/request_pb.ts';
import type { GivenName } from '../../client/enum-names.ts';
import { defineCommand } from '../command-module.ts';
import { EXIT } from '../exit-code.ts';
import { enumName, wholeNumber } from '../option-parsers.ts';
import type { Column } from '../print-table.ts';
import { toRequestView, type RequestView } from './request-view.ts';

type Flags = {
  readonly site?: string;
  readonly host?: string;
  readonly state?: GivenName<typeof RequestState>;
  readonly band?: number;
  readonly label?: string;
  readonly limit?: number;
};

const PAGE_SIZE = 1_000;

const COLUMNS: readonly Column<RequestView>[] = [
  { title: 'REQUEST', value: ({ requestId }) => requestId, width: 36 },
  { title: 'STATE', value: ({ state }) => state, width: 9 },
  { title: 'BAND', value: ({ band }) => band, right: true },
  { title: 'TRIED', value: ({ attempts }) => attempts, right: true },
  { title: 'DUE', value: ({ dueAt }) => dueAt?.toISOString(), width: 24 },
  { title: 'URL', value: ({ url }) => url },
];

/** `decorum requests`. */
export const requests = defineCommand<Flags>({
  name: 'requests',
  summary: 'print the requests that are pending',
  configure: (command) =>
    command
      .option('--site <domain>', 'of a registrable domain')
      .option('--host <name>', 'of a host')
      .option('--state <state>', 'resolving, waiting or leased', enumName(RequestState))
      .option('--band <n>', '0 to 7', wholeNumber(0, 7))
      .option('--label <name>', "of the tenant's job")
      .option('--limit <n>', 'stop after this many', wholeNumber(1, 1_000_000_000)),
  async run(context, { flags }) {
    const { site = '', host = '', label = '', state, band, limit = Number.POSITIVE_INFINITY } = flags;
    const { crawl } = context.tenant().api;
    const query = {
      ...{ site, host, label },
      ...(state !== undefined && { state: RequestState[state] }),
      ...(band !== undefined && { band }),
    };
    let printed = 0;
    let pageToken = '';
    do {
      const pageSize = Math.min(PAGE_SIZE, limit - printed);
      const page = await crawl.listRequests({ ...query, pageSize, pageToken }, { signal: context.signal });
      for (const request of page.requests) await context.printRow(COLUMNS, toRequestView(request));
      printed += page.requests.length;
      pageToken = page.nextPageToken;
    } while (pageToken !== '' && printed < limit);
    if (printed === 0 && !context.json) context.note('No such request is pending.');
    return EXIT.ok;
  },
});
