import type { Transaction } from './database.ts';

/** A slot of an address that this transaction holds; kept for `host` where one is named. */
export type TakenSlot = { readonly address: string; readonly slot: number; readonly host: string | null };

/**
 * Takes free slots for hosts at their addresses, one each at most, and waits for none (M2): first those that are kept for
 * them, then those kept for nobody, longest idle first.
 */
export async function takeAddressSlots(
  sql: Transaction,
  wanted: readonly { readonly host: string; readonly address: string }[],
): Promise<TakenSlot[]> {
  const byAddress = [...Map.groupBy(wanted, ({ address }) => address)].sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = sql.json(byAddress.map(([address, own]) => ({ address, hosts: own.map(({ host }) => host) })));
  return sql<TakenSlot[]>`
    select w.address, s.slot, s.reserved_host as host
    from jsonb_to_recordset(${rows}) as w(address text, hosts text[])
    cross join lateral (
      select slot, case when reserved_until > decorum.now() then reserved_host end as reserved_host
      from address_slot
      where address = w.address and ready_at <= decorum.now()
        and (reserved_host is null or reserved_until <= decorum.now() or reserved_host = any(w.hosts))
      order by coalesce(reserved_host = any(w.hosts), false) desc, ready_at, slot
      limit cardinality(w.hosts)
      for no key update skip locked
    ) s
  `;
}
