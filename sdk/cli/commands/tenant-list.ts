import { defineCommand } from '../command-module.ts';
import { EXIT } from '../exit-code.ts';
import type { Column } from '../print-table.ts';
import type { TenantView } from './tenant-fields.ts';
import { toTenantView } from './tenant-fields.ts';

const PAGE_SIZE = 1_000;

const COLUMNS: readonly Column<TenantView>[] = [
  { title: 'TENANT', value: ({ tenantId }) => tenantId },
  { title: 'PURPOSE', value: ({ purpose }) => purpose },
  { title: 'WEIGHT', value: ({ weight }) => weight, right: true },
  { title: 'STATE', value: ({ suspended }) => (suspended ? 'suspended' : 'active') },
  { title: 'CREATED', value: ({ createdAt }) => createdAt?.toISOString() },
  { title: 'NAME', value: ({ displayName }) => displayName },
];

/** `decorum tenant list`. */
export const tenantList = defineCommand<object>({
  name: 'tenant list',
  summary: 'show all tenants',
  configure: (command) => command,
  async run(context) {
    const client = await context.operator();
    const views: TenantView[] = [];
    let pageToken = '';
    do {
      const page = await client.listTenants({ pageSize: PAGE_SIZE, pageToken }, { signal: context.signal });
      views.push(...page.tenants.map(toTenantView));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    await context.printTable(COLUMNS, views);
    return EXIT.ok;
  },
});
