import type { Transaction } from './database.ts';

/**
 * Parks hosts whose address has no slot for them: they leave the order until one is free, so that nothing is polled. Under
 * the address' lock, and looked at again in a later statement: a slot that was freed meanwhile parks nobody. What is locked
 * just now is left as it is; `taken` are the slots that this transaction holds. Answers the hosts that were parked.
 */
export async function parkHosts(
  sql: Transaction,
  tenantId: string,
  hosts: readonly { readonly host: string; readonly address: string }[],
  taken: readonly { readonly address: string; readonly slot: number }[],
): Promise<ReadonlySet<string>> {
  const addresses = [...new Set(hosts.map(({ address }) => address))].sort();
  const locked = await sql<{ address: string }[]>`
    select address from address where address = any(${addresses}) order by address for no key update skip locked
  `;
  const own = sql.json(taken.map(({ address, slot }) => ({ address, slot })));
  const parked = await sql<{ host: string }[]>`
    with waiting as (
      select h.host from host h
      where h.host = any(${hosts.map(({ host }) => host)}) and h.parked_on is null
        and h.address = any(${locked.map(({ address }) => address)})
        and not exists (
          select from address_slot s
          where s.address = h.address and s.ready_at <= decorum.now()
            and (s.reserved_host is null or s.reserved_until <= decorum.now())
            and not exists (
              select from jsonb_to_recordset(${own}) as t(address text, slot smallint)
              where t.address = s.address and t.slot = s.slot
            )
        )
      order by h.host for no key update skip locked
    )
    update host h set parked_on = h.address, parked_tenant_id = ${tenantId}, parked_at = decorum.now()
    from waiting where h.host = waiting.host
    returning h.host
  `;
  return new Set(parked.map(({ host }) => host));
}
