import type { Pool } from './database.ts';
import { withStore } from './transact.ts';

/** Why a tenant may crawl. */
export type PurposeRow = {
  readonly code: string;
  readonly description: string;
  readonly robotsToken: string;
};

/** All purposes by code. */
export async function listPurposes(pool: Pool): Promise<PurposeRow[]> {
  return withStore(
    () => pool<PurposeRow[]>`
      select code, description, robots_token as "robotsToken" from purpose order by code
    `,
  );
}

/** Adds a purpose; undefined when the code is taken. */
export async function insertPurpose(pool: Pool, purpose: PurposeRow): Promise<PurposeRow | undefined> {
  const [row] = await withStore(
    () => pool<PurposeRow[]>`
      insert into purpose (code, description, robots_token)
      values (${purpose.code}, ${purpose.description}, ${purpose.robotsToken})
      on conflict do nothing
      returning code, description, robots_token as "robotsToken"
    `,
  );
  return row;
}
