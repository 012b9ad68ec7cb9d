import type { CommandModule } from './command-module.ts';
import { body } from './commands/body.ts';
import { cancel } from './commands/cancel.ts';
import { explain } from './commands/explain.ts';
import { keyCreate } from './commands/key-create.ts';
import { keyRevoke } from './commands/key-revoke.ts';
import { requests } from './commands/requests.ts';
import { results } from './commands/results.ts';
import { submit } from './commands/submit.ts';
import { tenantCreate } from './commands/tenant-create.ts';
import { tenantList } from './commands/tenant-list.ts';
import { tenantShow } from './commands/tenant-show.ts';

/** The commands that need nothing but the API, in the order in which help lists them. */
export const API_COMMANDS: readonly CommandModule[] = [
  submit,
  requests,
  explain,
  cancel,
  results,
  body,
  tenantCreate,
  tenantList,
  tenantShow,
  keyCreate,
  keyRevoke,
];
