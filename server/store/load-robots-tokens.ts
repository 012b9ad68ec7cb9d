import type { PurposeToken } from '@decorum/policy/robots/find-crawl-delay.ts';
import type { Transaction } from './database.ts';

/** The robots.txt token of every purpose. */
export async function loadRobotsTokens(sql: Transaction): Promise<PurposeToken[]> {
  return sql<PurposeToken[]>`select code as purpose, robots_token as token from purpose order by code`;
}
