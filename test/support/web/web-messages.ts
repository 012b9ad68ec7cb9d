import type { WebConfig } from './web-config.ts';
import type { WebLogEntry } from './web-log.ts';

/** What may change while the web runs: sites are replaced by host, names by name. */
export type WebChange = Pick<WebConfig, 'dns'> & { sites?: WebConfig['sites'] };

/** What the parent asks of the web's process; each is answered by a reply with the same id. */
export type WebCommand =
  | { id: number; do: 'start'; config: WebConfig }
  | { id: number; do: 'change'; change: WebChange }
  | { id: number; do: 'log' };

/** The answer to a command. */
export type WebReply = { id: number } & (
  | { done: 'start'; port: number; dnsServer: string }
  | { done: 'change' }
  | { done: 'log'; entries: WebLogEntry[] }
  | { done: 'error'; message: string }
);
