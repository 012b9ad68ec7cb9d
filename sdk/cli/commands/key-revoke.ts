import { defineCommand } from '../command-module.ts';
import { EXIT } from '../exit-code.ts';

/** `decorum key revoke`. */
export const keyRevoke = defineCommand<object>({
  name: 'key revoke',
  summary: 'make a key useless, at once',
  configure: (command) => command.argument('<key-id>', 'the id, not the secret'),
  async run(context, { args: [keyId = ''] }) {
    const client = await context.operator();
    await client.revokeKey({ keyId });
    await context.printFields({ keyId, revoked: true }, { revoked: keyId });
    return EXIT.ok;
  },
});
