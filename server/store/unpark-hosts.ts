import { drawPair } from '@decorum/policy/fairness/draw-pair.ts';
import type { Transaction } from './database.ts';

/** A slot stays kept for its host so long after it is ready; then it is anybody's. */
const RESERVED_MS = 2_000;

/**
 * Gives slots that became free to hosts that wait for their address, one each: the tenant is drawn by weight, its host that
 * has waited for longest is next. One write each way per turn, whatever the number that waits. Answers the sites, whose
 * queues the caller re-arms.
 */
export async function unparkHosts(
  sql: Transaction,
  slots: readonly { readonly address: string; readonly slot: number }[],
  draw: () => number = Math.random,
): Promise<string[]> {
  const addresses = [...new Set(slots.map(({ address }) => address))].sort();
  const crowded = await sql<{ address: string }[]>`
    select address from address a
    where address = any(${addresses}) and exists (select from host where parked_on = a.address)
    order by address for no key update
  `;
  const sites: string[] = [];
  for (const { address, slot } of slots) {
    if (!crowded.some((own) => own.address === address)) continue;
    const site = await unparkNext(sql, address, slot, draw);
    if (site !== undefined) sites.push(site);
  }
  return sites;
}

async function unparkNext(
  sql: Transaction,
  address: string,
  slot: number,
  draw: () => number,
): Promise<string | undefined> {
  const tenants = await sql<{ tenantId: string; band: number; weight: number }[]>`
    select w.parked_tenant_id as "tenantId", 0 as band, t.weight
    from (select distinct parked_tenant_id from host where parked_on = ${address}) w
    join tenant t on t.tenant_id = w.parked_tenant_id
    order by 1
  `;
  const tenant = drawPair(tenants, draw(), 0);
  if (tenant === undefined) return undefined;
  const [next] = await sql<{ host: string; site: string }[]>`
    with next as (
      select host from host where parked_on = ${address} and parked_tenant_id = ${tenant.tenantId}
      order by parked_at, host limit 1 for no key update
    )
    update host h set parked_on = null, blocked_until = s.ready_at, blocked_reason = 'slot'
    from next, address_slot s
    where h.host = next.host and s.address = ${address} and s.slot = ${slot}
    returning h.host, h.site
  `;
  if (next === undefined) return undefined;
  await sql`
    update address_slot set reserved_host = ${next.host},
      reserved_until = greatest(ready_at, decorum.now()) + make_interval(secs => ${RESERVED_MS / 1_000})
    where address = ${address} and slot = ${slot}
  `;
  return next.site;
}

/**
 * Free slots beside hosts that wait for their address: the host for whom one was kept did not come. Held by this
 * transaction; those that somebody is taking are left out.
 */
export async function takeStrandedSlots(
  sql: Transaction,
  limit: number,
): Promise<{ address: string; slot: number }[]> {
  return sql<{ address: string; slot: number }[]>`
    select s.address, s.slot from address_slot s
    where s.ready_at <= decorum.now() and coalesce(s.reserved_until <= decorum.now(), true)
      and s.address in (select parked_on from host where parked_on is not null)
    order by s.address, s.slot limit ${limit} for no key update skip locked
  `;
}
