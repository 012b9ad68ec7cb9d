/**
 * Submit: takes a batch of URLs for a tenant. Each item is judged by itself, then one transaction as that tenant writes
 * everything: the batch's claim, places, queues, requests, answers from the archive, and what the batch was answered.
 */
import { createHash } from 'node:crypto';
import type { AddressBlocks } from '@decorum/policy/address/address-blocks.ts';
import { deriveRequestId } from '@decorum/policy/digest/request-id.ts';
import type { ClassifiedUrl } from '@decorum/policy/url/classify-url.ts';
import { COLLAPSE_RULES_VERSION } from '@decorum/policy/url/collapse-url.ts';
import { DomainError } from '../runtime/domain-error.ts';
import { armQueues } from '../store/arm-queues.ts';
import type { Pool, Transaction } from '../store/database.ts';
import { insertPlaces } from '../store/insert-places.ts';
import { insertRequests, type NewRequest } from '../store/insert-requests.ts';
import { insertSeen } from '../store/insert-seen.ts';
import { insertSubmission, recordOutcomes } from '../store/insert-submission.ts';
import { loadInstallation, type Installation } from '../store/load-installation.ts';
import { loadTenant, type TenantRow } from '../store/load-tenant.ts';
import { lockPolicyShared } from '../store/lock-policy.ts';
import { transactAsTenant } from '../store/transact.ts';
import { answerFromArchive } from './answer-from-archive.ts';
import {
  BAND_DEFAULT,
  BODY_BYTES_DEFAULT,
  DEADLINE_MS_DEFAULT,
  decideSubmitItem,
  type ItemRefusal,
  type SubmitItem,
} from './decide-submit.ts';

/** What became of one URL. */
export type SubmitOutcome =
  | { readonly status: 'ACCEPTED' | 'ALREADY_PENDING' | 'ANSWERED'; readonly requestId: string }
  | { readonly status: 'KNOWN' }
  | { readonly status: 'REFUSED'; readonly refusal: ItemRefusal };

/** A batch of one tenant. */
export type SubmitInput = {
  readonly tenantId: string;
  /** Names the batch; a repeat answers what the first one did. */
  readonly requestId: string;
  /** The batch as it came, for telling a repeat from a reuse. */
  readonly payload: Uint8Array;
  readonly items: readonly SubmitItem[];
};

/** What Submit stands on. */
export type SubmitDeps = {
  readonly pool: Pool;
  readonly wallMs: () => number;
  /** Addresses that pass as public; tests only. */
  readonly exempt: AddressBlocks | undefined;
  /** Tells local Leases that there may be work. */
  readonly wake: () => void;
};

/**
 * Takes the batch and answers per item, in order; what is ACCEPTED or ANSWERED is durable. Throws ALREADY_EXISTS
 * (REQUEST_ID_REUSED) for a batch id that came with another payload before.
 */
export async function submitRequests(
  deps: SubmitDeps,
  input: SubmitInput,
): Promise<readonly SubmitOutcome[]> {
  const payloadSha256 = createHash('sha256').update(input.payload).digest();
  const outcomes = await transactAsTenant(deps.pool, input.tenantId, async (sql) => {
    await lockPolicyShared(sql);
    const earlier = await insertSubmission(sql, input.tenantId, input.requestId, payloadSha256);
    if (earlier !== undefined) return answerRepeat(earlier, payloadSha256);
    const tenant = await loadActiveTenant(sql, input.tenantId);
    const answered = await takeBatch(sql, deps, tenant, input);
    await recordOutcomes(sql, input.tenantId, input.requestId, Buffer.from(JSON.stringify(answered)));
    return answered;
  });
  deps.wake();
  return outcomes;
}

function answerRepeat(
  earlier: { readonly payloadSha256: Uint8Array; readonly outcomes: Uint8Array },
  payloadSha256: Uint8Array,
): readonly SubmitOutcome[] {
  if (Buffer.compare(earlier.payloadSha256, payloadSha256) !== 0) {
    throw new DomainError({
      kind: 'already_exists',
      reason: 'REQUEST_ID_REUSED',
      field: 'request_id',
      message:
        'this request_id named another batch before; give each batch an id of its own, and repeat it unchanged',
    });
  }
  return JSON.parse(Buffer.from(earlier.outcomes).toString()) as SubmitOutcome[];
}

async function loadActiveTenant(sql: Transaction, tenantId: string): Promise<TenantRow> {
  const tenant = await loadTenant(sql, tenantId);
  if (tenant === undefined) throw new Error('an authenticated tenant has no row');
  if (tenant.suspendedAt !== null) {
    throw new DomainError({
      kind: 'failed_precondition',
      reason: 'TENANT_SUSPENDED',
      message: 'the tenant is suspended; nothing is accepted until an operator lifts it',
    });
  }
  return tenant;
}

type Candidate = { readonly index: number; readonly item: SubmitItem; readonly url: ClassifiedUrl };

async function takeBatch(
  sql: Transaction,
  deps: SubmitDeps,
  tenant: TenantRow,
  input: SubmitInput,
): Promise<SubmitOutcome[]> {
  const installation = await loadInstallation(sql);
  const outcomes: SubmitOutcome[] = [];
  const candidates: Candidate[] = [];
  for (const [index, item] of input.items.entries()) {
    const judged = decideSubmitItem(item, {
      nowMs: deps.wallMs(),
      bandMax: tenant.bandMax,
      exempt: deps.exempt,
    });
    if (judged.ok) candidates.push({ index, item, url: judged });
    else outcomes[index] = { status: 'REFUSED', refusal: judged };
  }
  const wanted = await dropKnown(sql, tenant, candidates, outcomes);
  const requests = wanted.map((candidate) => toRequest(installation, tenant, input, candidate));
  const fresh = await answerFromArchive(sql, installation, tenant, requests);
  await enqueue(
    sql,
    tenant,
    wanted.filter((_, place) => !fresh.has(requests[place]?.requestId ?? '')),
    requests.filter(({ requestId }) => !fresh.has(requestId)),
    outcomes,
  );
  for (const [place, { index }] of wanted.entries()) {
    const requestId = requests[place]?.requestId ?? '';
    if (fresh.has(requestId)) outcomes[index] = { status: 'ANSWERED', requestId };
  }
  return outcomes;
}

async function dropKnown(
  sql: Transaction,
  tenant: TenantRow,
  candidates: readonly Candidate[],
  outcomes: SubmitOutcome[],
): Promise<Candidate[]> {
  if (candidates.length === 0) return [];
  const isNew = await insertSeen(
    sql,
    tenant.tenantId,
    candidates.map(({ url }) => url.urlKey),
    COLLAPSE_RULES_VERSION,
  );
  return candidates.filter(({ index, item }, place) => {
    if (!item.onlyIfNew || isNew[place] === true) return true;
    outcomes[index] = { status: 'KNOWN' };
    return false;
  });
}

function toRequest(
  { cell }: Installation,
  { tenantId }: TenantRow,
  { requestId }: SubmitInput,
  { index, item, url }: Candidate,
): NewRequest & { readonly maxAgeMs: number | null } {
  return {
    requestId: deriveRequestId(cell, tenantId, requestId, index),
    url: url.url,
    urlHash: url.urlHash,
    urlKey: url.urlKey,
    keyVersion: url.urlKeyVersion,
    site: url.site,
    origin: url.origin.origin,
    band: item.band ?? BAND_DEFAULT,
    reason: item.reason,
    tier: item.tier,
    label: item.label,
    clientRef: item.clientRef,
    maxAgeMs: item.maxAgeMs ?? null,
    maxBodyBytes: item.maxBodyBytes ?? BODY_BYTES_DEFAULT,
    extract: item.extract,
    dueAt: item.notBefore ?? null,
    deadline: item.deadline ?? null,
  };
}

async function enqueue(
  sql: Transaction,
  { tenantId }: TenantRow,
  candidates: readonly Candidate[],
  requests: readonly NewRequest[],
  outcomes: SubmitOutcome[],
): Promise<void> {
  if (requests.length === 0) return;
  await insertPlaces(
    sql,
    candidates.map(({ url }) => ({ ...url.origin, site: url.site })),
  );
  await armQueues(sql, tenantId, requests);
  const twins = await insertRequests(sql, tenantId, requests, DEADLINE_MS_DEFAULT);
  for (const [place, { index }] of candidates.entries()) {
    const requestId = requests[place]?.requestId ?? '';
    const twin = twins.get(requestId);
    outcomes[index] =
      twin === undefined
        ? { status: 'ACCEPTED', requestId }
        : { status: 'ALREADY_PENDING', requestId: twin.requestId };
  }
}
