import type { Transaction } from './database.ts';

/** A request as Submit writes it. */
export type NewRequest = {
  readonly requestId: string;
  readonly url: string;
  readonly urlHash: Uint8Array;
  readonly urlKey: Uint8Array;
  readonly keyVersion: number;
  readonly site: string;
  readonly origin: string;
  readonly band: number;
  readonly reason: string;
  readonly tier: string;
  readonly label: string;
  readonly clientRef: Uint8Array;
  readonly maxAgeMs: number | null;
  readonly maxBodyBytes: bigint;
  readonly extract: readonly string[];
  readonly dueAt: Date | null;
  readonly deadline: Date | null;
};

/** A request for the URL that was pending before. */
export type PendingTwin = { readonly requestId: string };

const INSERT_ROUNDS_MAX = 5;

/**
 * Inserts requests unless the tenant has one pending for the same canonical URL. Answers per request undefined (inserted)
 * or the earlier one. A twin that ends between the two statements is inserted over.
 */
export async function insertRequests(
  sql: Transaction,
  tenantId: string,
  requests: readonly NewRequest[],
  defaultDeadlineMs: number,
): Promise<ReadonlyMap<string, PendingTwin | undefined>> {
  const answers = new Map<string, PendingTwin | undefined>();
  let left = [...requests].sort((a, b) => Buffer.compare(a.urlHash, b.urlHash));
  for (let round = 0; left.length > 0; round += 1) {
    if (round === INSERT_ROUNDS_MAX)
      throw new Error('pending requests come and go faster than they can be read');
    const inserted = await insertAbsent(sql, tenantId, left, defaultDeadlineMs);
    for (const id of inserted) answers.set(id, undefined);
    left = left.filter(({ requestId }) => !answers.has(requestId));
    const twins = await loadTwins(sql, tenantId, left);
    for (const { requestId, urlHash } of left) {
      const twin = twins.get(Buffer.from(urlHash).toString('hex'));
      if (twin !== undefined) answers.set(requestId, { requestId: twin });
    }
    left = left.filter(({ requestId }) => !answers.has(requestId));
  }
  return answers;
}

async function insertAbsent(
  sql: Transaction,
  tenantId: string,
  requests: readonly NewRequest[],
  defaultDeadlineMs: number,
): Promise<string[]> {
  const column = <T extends string | number | null>(read: (request: NewRequest) => T) => requests.map(read);
  const rows = await sql<{ requestId: string }[]>`
    insert into request (
      request_id, tenant_id, asked_url, url, url_hash, url_key, key_version, site, origin, band, reason, tier, label,
      client_ref, max_age, max_body_bytes, extract, due_at, deadline, submitted_at
    )
    select
      n.request_id, ${tenantId}, n.url, n.url, decode(n.url_hash, 'hex'), decode(n.url_key, 'hex'), n.key_version, n.site,
      n.origin, n.band, n.reason, n.tier, n.label, decode(n.client_ref, 'hex'),
      make_interval(secs => n.max_age_ms / 1000.0), n.max_body_bytes, coalesce(string_to_array(nullif(n.extract, ''), ','), '{}'),
      coalesce(n.due_at, t.now), coalesce(n.deadline, t.now + make_interval(secs => ${defaultDeadlineMs / 1_000})), t.now
    from (select decorum.now() as now) t, unnest(
      ${column((r) => r.requestId)}::uuid[], ${column((r) => r.url)}::text[],
      ${column((r) => Buffer.from(r.urlHash).toString('hex'))}::text[],
      ${column((r) => Buffer.from(r.urlKey).toString('hex'))}::text[], ${column((r) => r.keyVersion)}::smallint[],
      ${column((r) => r.site)}::text[], ${column((r) => r.origin)}::text[], ${column((r) => r.band)}::smallint[],
      ${column((r) => r.reason)}::text[], ${column((r) => r.tier)}::text[], ${column((r) => r.label)}::text[],
      ${column((r) => Buffer.from(r.clientRef).toString('hex'))}::text[], ${column((r) => r.maxAgeMs?.toString() ?? null)}::text[]::float8[],
      ${column((r) => r.maxBodyBytes.toString())}::text[]::bigint[], ${column((r) => r.extract.join(','))}::text[],
      ${column((r) => r.dueAt?.toISOString() ?? null)}::text[]::timestamptz[],
      ${column((r) => r.deadline?.toISOString() ?? null)}::text[]::timestamptz[]
    ) as n(
      request_id, url, url_hash, url_key, key_version, site, origin, band, reason, tier, label, client_ref, max_age_ms,
      max_body_bytes, extract, due_at, deadline
    )
    on conflict do nothing
    returning request_id as "requestId"
  `;
  return rows.map(({ requestId }) => requestId);
}

async function loadTwins(
  sql: Transaction,
  tenantId: string,
  requests: readonly NewRequest[],
): Promise<ReadonlyMap<string, string>> {
  if (requests.length === 0) return new Map();
  const hexes = requests.map(({ urlHash }) => Buffer.from(urlHash).toString('hex'));
  const rows = await sql<{ hex: string; requestId: string }[]>`
    select encode(url_hash, 'hex') as hex, request_id as "requestId"
    from request
    where tenant_id = ${tenantId} and hop = 0
      and url_hash = any(select decode(unnest(${hexes}::text[]), 'hex'))
  `;
  return new Map(rows.map(({ hex, requestId }) => [hex, requestId]));
}
