import { DomainError } from '../runtime/domain-error.ts';
import type { Transaction } from '../store/database.ts';
import { loadInstallation } from '../store/load-installation.ts';
import { loadNumberedThrough } from '../store/load-numbered-through.ts';
import { insertResultGroup, loadResultGroups, type ResultGroupRow } from '../store/result-groups.ts';
import type { ResultLane, ResultStreamKey } from '../store/result-stream-key.ts';
import { transactAsTenant, withStore } from '../store/transact.ts';
import { ensureConsumer } from './ensure-consumer.ts';
import { ensureTenantStreams, type TenantStreamDeps } from './ensure-tenant-streams.ts';
import { createTenantUserJwt, TENANT_USER_JWT_MS } from './nats/create-tenant-user-jwt.ts';
import { TENANT_API_PREFIX } from './nats/result-subjects.ts';
import { streamNameOf } from './stream-name.ts';

/** Consumer groups of one lane that a tenant may have: each keeps a consumer at the broker. */
export const GROUPS_MAX = 100;

/** Who wants to consume which lane. */
export type OpenResultsInput = {
  readonly tenantId: string;
  readonly group: string;
  readonly lane: ResultLane;
  /** The caller's public user key; its seed never leaves the caller. */
  readonly userPublicKey: string;
  /**
   * The first number that a new group receives; default the oldest that the stream holds, which is at the latest the first
   * that some group has not acknowledged. At most the one after the last that was given.
   */
  readonly startNumber: bigint | undefined;
};

/** What a client needs to sign in to the broker and consume. */
export type OpenedResults = {
  readonly natsUrls: readonly string[];
  readonly userJwt: string;
  readonly expiresAfterMs: number;
  readonly stream: string;
  readonly consumer: string;
  readonly apiPrefix: string;
  readonly cell: number;
  readonly generation: number;
};

/**
 * Opens a lane for a consumer group: records the group, makes its durable consumer if there is none, and signs the caller
 * in for a quarter of an hour. A group that exists keeps its place. Throws `quota` (GROUPS) beyond 100 groups, `invalid`
 * for a key that is none or a start that is not known yet, and `unavailable` while the broker is out of reach
 * (RESULTS_UNAVAILABLE) or still being filled (RESULTS_BEHIND).
 */
export async function openResults(deps: TenantStreamDeps, input: OpenResultsInput): Promise<OpenedResults> {
  const { tenantId, group, lane } = input;
  const { cell, generation } = await withStore(() => loadInstallation(deps.pool));
  const key = { tenantId, lane, cell, generation };
  const userJwt = signIn(deps, input);
  const row = await transactAsTenant(deps.pool, tenantId, (sql) => recordGroup(sql, key, input));
  if (row === undefined) throw tooManyGroups();
  await ensureTenantStreams(deps, tenantId);
  const stream = streamNameOf(key);
  const consumer = await deps.broker.useJetStream(({ manager }) => ensureConsumer(manager, stream, row));
  if (consumer === undefined) throw behind();
  return {
    ...{ userJwt, stream, cell, generation },
    natsUrls: deps.broker.access.url.split(','),
    expiresAfterMs: TENANT_USER_JWT_MS,
    consumer: group,
    apiPrefix: TENANT_API_PREFIX,
  };
}

function signIn({ broker, wallMs }: TenantStreamDeps, { tenantId, userPublicKey }: OpenResultsInput): string {
  const user = { tenant: tenantId, publicKey: userPublicKey, nowMs: wallMs() };
  const jwt = createTenantUserJwt(broker.access.operatorSeed, user);
  if (jwt !== undefined) return jwt;
  throw new DomainError({
    kind: 'invalid',
    reason: 'USER_KEY_INVALID',
    field: 'user_public_key',
    message:
      'give the public key of a NATS user key pair, as nkeys.createUser() makes one: "U" and 55 more characters',
  });
}

async function recordGroup(
  sql: Transaction,
  key: ResultStreamKey,
  { group, startNumber }: OpenResultsInput,
): Promise<ResultGroupRow | undefined> {
  const known = (await loadResultGroups(sql, key)).find((row) => row.group === group);
  if (known !== undefined) return known;
  if (startNumber !== undefined) assertKnown(startNumber, await loadNumberedThrough(sql, key));
  return insertResultGroup(sql, key, { group, firstNumber: startNumber ?? 1n, groupsMax: GROUPS_MAX });
}

function assertKnown(startNumber: bigint, numberedThrough: bigint): void {
  if (startNumber <= numberedThrough + 1n) return;
  throw new DomainError({
    kind: 'invalid',
    reason: 'START_NUMBER_UNKNOWN',
    field: 'start_number',
    message: `the numbers of this lane end with ${numberedThrough} so far; begin with the next one at the latest`,
    metadata: { numberedThrough: `${numberedThrough}` },
  });
}

function behind(): DomainError {
  return new DomainError({
    kind: 'unavailable',
    reason: 'RESULTS_BEHIND',
    message: 'the results that this group begins with are still being published; try again in a moment',
    retryAfterMs: 500,
  });
}

function tooManyGroups(): DomainError {
  return new DomainError({
    kind: 'quota',
    reason: 'GROUPS',
    field: 'group',
    message: `a lane has at most ${GROUPS_MAX} consumer groups; delete one that is not used (DeleteGroup)`,
    metadata: { subject: 'result_groups', quota: 'GROUPS', limit: `${GROUPS_MAX}` },
  });
}
