import type { Pool, Transaction } from './database.ts';

/** Which cell this is, how often it was restored (D6), and the policy in force. */
export type Installation = {
  readonly cell: number;
  readonly generation: number;
  readonly policyVersion: bigint;
};

/** Reads the installation's row. */
export async function loadInstallation(sql: Transaction | Pool): Promise<Installation> {
  const [row] = await sql<Installation[]>`
    select cell, generation, policy_version as "policyVersion" from installation
  `;
  if (row === undefined) throw new Error('the installation row is missing');
  return row;
}
