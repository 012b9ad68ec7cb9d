import type { Transaction } from './database.ts';

/** A slot of an address that this transaction holds. */
export type TakenSlot = { readonly address: string; readonly slot: number };

/** Takes up to `count` free slots of each address, longest idle first, and waits for none (M2). */
export async function takeAddressSlots(
  sql: Transaction,
  wanted: ReadonlyMap<string, number>,
): Promise<TakenSlot[]> {
  const addresses = [...wanted.keys()].sort();
  return sql<TakenSlot[]>`
    select w.address, s.slot
    from unnest(${addresses}::text[], ${addresses.map((address) => wanted.get(address) ?? 0)}::int[]) as w(address, count)
    cross join lateral (
      select slot from address_slot
      where address = w.address and ready_at <= decorum.now()
      order by ready_at, slot limit w.count
      for no key update skip locked
    ) s
  `;
}
