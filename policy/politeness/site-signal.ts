import type { SiteSignal } from './decide-site-pace.ts';

/**
 * What an answer's status says about our welcome (M6): 429 and 503 ask for less; 403, 451 and the other 5xx are trouble,
 * as are timeouts and resets, which have no status; 408 and 425 speak of one connection and count neither way.
 */
export function siteSignal(status: number): SiteSignal {
  if (status === 429 || status === 503) return 'THROTTLED';
  if (status === 403 || status === 451 || (status >= 500 && status <= 599)) return 'TROUBLED';
  if (status === 408 || status === 425) return 'NEUTRAL';
  return 'GOOD';
}
