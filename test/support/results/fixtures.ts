import { randomUUID } from 'node:crypto';
import type { Broker } from '@decorum/server/results/broker.ts';
import { createBroker } from '@decorum/server/results/broker.ts';
import { startPublisher, type Publisher } from '@decorum/server/results/start-publisher.ts';
import { systemClock } from '@decorum/server/runtime/clock.ts';
import { createLogger, type Logger } from '@decorum/server/runtime/logger.ts';
import { insertResults, type NewResult } from '@decorum/server/store/insert-results.ts';
import { loadInstallation } from '@decorum/server/store/load-installation.ts';
import type { ResultLane, ResultStreamKey } from '@decorum/server/store/result-stream-key.ts';
import { transact } from '@decorum/server/store/transact.ts';
import { createNoopMeter } from '@opentelemetry/api';
import type { TestDatabase } from '../database.ts';
import type { TestNats } from '../nats.ts';

/** A logger that keeps its lines. */
export function createMemoryLogger(): { logger: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { logger: createLogger({ level: 'debug', write }), lines };
}

/** A way to a test's nats-server. */
export function createTestBroker(nats: TestNats, logger = createMemoryLogger().logger): Broker {
  const { url, platformCreds, systemCreds, seeds } = nats;
  const { operator: operatorSeed, platform: platformSeed } = seeds;
  return createBroker({ url, platformCreds, systemCreds, operatorSeed, platformSeed }, { logger });
}

/** A publisher on the database's pool. */
export function startTestPublisher(
  database: TestDatabase,
  broker: Broker,
  logger = createMemoryLogger().logger,
): Publisher {
  return startPublisher({
    ...{ pool: database.general, broker, logger },
    publisherId: randomUUID(),
    meter: createNoopMeter(),
    clock: systemClock,
  });
}

/** Tenants as CreateTenant would make them. */
export async function insertTenants(database: TestDatabase, ...tenantIds: string[]): Promise<void> {
  for (const tenantId of tenantIds) {
    await database.admin`insert into tenant (tenant_id, purpose) values (${tenantId}, 'SEARCH')`;
  }
}

/** A tenant's stream in a fresh installation. */
export function streamOf(tenantId: string, lane: ResultLane = 'bulk'): ResultStreamKey {
  return { tenantId, lane, cell: 0, generation: 1 };
}

/** A result without a capture, as Complete writes one. */
export function newResult(tenantId: string, change: Partial<NewResult> = {}): NewResult {
  const requestId = randomUUID();
  const url = `https://a.test/${requestId}`;
  return {
    ...{ requestId, tenantId, url, finalUrl: url },
    kind: 'FAILED',
    outcome: 'CONNECT_FAILED',
    detail: '',
    redirects: [],
    attempts: 3,
    captureId: null,
    document: null,
    coalesced: false,
    reason: 'DISCOVERY',
    band: 3,
    tier: '',
    label: '',
    clientRef: null,
    submittedAt: null,
    leasedAt: null,
    fetchedAt: null,
    responseMs: null,
    totalMs: null,
    ...change,
  };
}

/** Writes results in one transaction. */
export async function writeResults(database: TestDatabase, results: readonly NewResult[]): Promise<void> {
  await transact(database.control, async (sql) => insertResults(sql, await loadInstallation(sql), results));
}
