import type { PriceLine } from '@decorum/policy/pricing/price-lines.ts';
import type { Transaction } from './database.ts';

/** A charge line and whose it is. */
export type NewChargeLine = PriceLine & {
  readonly requestId: string;
  readonly tenantId: string;
  readonly attempt: number;
  readonly captureId: string | null;
};

/** Writes the charge lines of results, in the transaction that writes those (T2). */
export async function insertChargeLines(sql: Transaction, lines: readonly NewChargeLine[]): Promise<void> {
  if (lines.length === 0) return;
  const rows = sql.json(
    lines.map((line) => ({
      ...line,
      quantity: line.quantity.toString(),
      amountNanos: line.amountNanos.toString(),
    })),
  );
  await sql`
    insert into charge_line (
      month, request_id, attempt, meter, tenant_id, quantity, share_of, amount_nanos, price_book_version, capture_id,
      completed_at
    )
    select date_trunc('month', decorum.now())::date, n."requestId", n.attempt, n.meter, n."tenantId", n.quantity,
      n."shareOf", n."amountNanos", n."priceBookVersion", n."captureId", decorum.now()
    from jsonb_to_recordset(${rows}) as n(
      "requestId" uuid, attempt smallint, meter text, "tenantId" text, quantity bigint, "shareOf" integer,
      "amountNanos" bigint, "priceBookVersion" integer, "captureId" uuid
    )
  `;
}
