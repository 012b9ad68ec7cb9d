import { defineCommand } from '../command-module.ts';
import { EXIT } from '../exit-code.ts';
import { emptyAnswer } from './tenant-create.ts';
import { tenantFields, toTenantView } from './tenant-fields.ts';

/** `decorum tenant show`. */
export const tenantShow = defineCommand<object>({
  name: 'tenant show',
  summary: 'show one tenant with its quota',
  configure: (command) => command.argument('<tenant-id>'),
  async run(context, { args: [tenantId = ''] }) {
    const client = await context.operator();
    const { tenant } = await client.getTenant({ tenantId });
    if (tenant === undefined) throw emptyAnswer();
    const view = toTenantView(tenant);
    await context.printFields(view, tenantFields(view));
    return EXIT.ok;
  },
});
