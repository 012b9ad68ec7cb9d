import type { Transaction } from './database.ts';

/** A host whose address is asked for. */
export type ClaimedHost = { readonly host: string; readonly failures: number };

/**
 * Takes hosts that the resolver is to ask for, longest waiting first, and puts them off by `claimMs`: a resolver that dies
 * loses nothing, two that run ask once each.
 */
export async function claimHosts(sql: Transaction, limit: number, claimMs: number): Promise<ClaimedHost[]> {
  return sql<ClaimedHost[]>`
    with due as (
      select host from host where resolve_at <= decorum.now()
      order by resolve_at limit ${limit} for no key update skip locked
    )
    update host h set resolve_at = decorum.now() + make_interval(secs => ${claimMs / 1_000})
    from due where h.host = due.host
    returning h.host, h.failures
  `;
}
