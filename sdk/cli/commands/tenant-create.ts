import { randomUUID } from 'node:crypto';
import { DecorumError } from '../../client/decorum-error.ts';
import { defineCommand } from '../command-module.ts';
import { EXIT } from '../exit-code.ts';
import { wholeNumber } from '../option-parsers.ts';
import { tenantFields, toTenantView } from './tenant-fields.ts';

type Flags = {
  readonly name?: string;
  readonly purpose: string;
  readonly weight?: number;
  readonly pendingMax?: number;
  readonly fetchesPerDay?: number;
  readonly bandMax?: number;
};

const LIMIT_MAX = Number.MAX_SAFE_INTEGER;

/** `decorum tenant create`. */
export const tenantCreate = defineCommand<Flags>({
  name: 'tenant create',
  summary: 'make a tenant: a team with its own key, quota, results and bill',
  configure: (command) =>
    command
      .argument('<tenant-id>', 'lower-case letters, digits and "-", 2 to 32')
      .requiredOption('--purpose <code>', 'why it crawls, as SEARCH, AI_TRAIN or TRUST_SAFETY')
      .option('--name <text>', 'its name for people')
      .option('--weight <n>', 'its share under contention, 1 to 1000 (default 1)', wholeNumber(1, 1_000))
      .option('--pending-max <n>', 'quota: pending requests', wholeNumber(0, LIMIT_MAX))
      .option('--fetches-per-day <n>', 'quota: fetches a day', wholeNumber(0, LIMIT_MAX))
      .option('--band-max <n>', 'quota: the highest band, 0 to 7', wholeNumber(0, 7)),
  async run(context, { args: [tenantId = ''], flags }) {
    const client = await context.operator();
    const quota = {
      ...(flags.pendingMax !== undefined && { pendingRequests: BigInt(flags.pendingMax) }),
      ...(flags.fetchesPerDay !== undefined && { fetchesPerDay: BigInt(flags.fetchesPerDay) }),
      ...(flags.bandMax !== undefined && { bandMax: flags.bandMax }),
    };
    const { tenant } = await client.createTenant({
      tenantId,
      displayName: flags.name ?? tenantId,
      purpose: flags.purpose.toUpperCase(),
      ...(flags.weight !== undefined && { weight: flags.weight }),
      ...(Object.keys(quota).length > 0 && { quota }),
      requestId: randomUUID(),
    });
    if (tenant === undefined) throw emptyAnswer();
    const view = toTenantView(tenant);
    await context.printFields(view, tenantFields(view));
    context.note(`Give it a key: npx decorum key create --role tenant --tenant ${tenantId}`);
    return EXIT.ok;
  },
});

/** The API answered OK without the object it promises. */
export function emptyAnswer(): DecorumError {
  return new DecorumError({
    code: 'internal',
    reason: 'EMPTY_ANSWER',
    message: 'The API answered without a tenant. Is it of this release?',
  });
}
