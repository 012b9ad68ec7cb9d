import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Role } from '@decorum/proto/decorum/access/v1/access_pb.ts';
import type { GivenName } from '../../client/enum-names.ts';
import { defineCommand } from '../command-module.ts';
import { EXIT } from '../exit-code.ts';
import { enumName, instant } from '../option-parsers.ts';

type Flags = {
  readonly role: GivenName<typeof Role>;
  readonly tenant?: string;
  readonly name?: string;
  readonly expires?: Date;
};

/** `decorum key create`. Prints the secret, which is shown this once. */
export const keyCreate = defineCommand<Flags>({
  name: 'key create',
  summary: 'make a key; its secret is shown once',
  configure: (command) =>
    command
      .requiredOption('--role <role>', 'tenant, fetcher, legal, finance or operator', enumName(Role))
      .option('--tenant <tenant-id>', 'whose key it is; for the role tenant')
      .option('--name <text>', 'who holds it, for the audit log')
      .option('--expires <when>', 'an instant, or a duration from now, as 90d', instant),
  async run(context, { flags }) {
    const client = await context.operator();
    const { keyId, key } = await client.createKey({
      role: Role[flags.role],
      tenantId: flags.tenant ?? '',
      displayName: flags.name ?? '',
      ...(flags.expires !== undefined && { expiresAt: timestampFromDate(flags.expires) }),
    });
    await context.printFields({ keyId, key }, { 'key id': keyId, key });
    context.note(`Keep it: it is not shown again. To use it: export DECORUM_KEY=<key>`);
    return EXIT.ok;
  },
});
