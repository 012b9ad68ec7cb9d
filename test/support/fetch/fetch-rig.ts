import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { durationFromMs } from '@bufbuild/protobuf/wkt';
import { createAddressBlocks } from '@decorum/policy/address/address-blocks.ts';
import { createDirectoryArchive, type Archive } from '@decorum/server/archive/directory-archive.ts';
import type { FetchLimits } from '@decorum/server/fetch/fetch-limits.ts';
import {
  startFetchWorker,
  type FetchWorker,
  type FetchWorkerDeps,
} from '@decorum/server/fetch/start-fetch-worker.ts';
import { systemClock } from '@decorum/server/runtime/clock.ts';
import { createLogger } from '@decorum/server/runtime/logger.ts';
import type { RawSite } from './raw-site.ts';
import {
  ALLOW_ALL,
  createScriptedFrontier,
  type ItemInit,
  type LeaseInit,
  type RobotsInit,
  type ScriptedFrontier,
} from './scripted-frontier.ts';

export const IDENTITY = {
  userAgent: 'decorumbot/0.1 (+http://crawler.test/bot)',
  from: 'crawler@crawler.test',
  productToken: 'decorumbot',
};

/** Pages of tests are small. */
export const BODY_BYTES = 1_000_000n;

/** A worker with everything around it. */
export type FetchRig = AsyncDisposable & {
  readonly frontier: ScriptedFrontier;
  readonly archive: Archive;
  readonly archiveDir: string;
  readonly worker: FetchWorker;
  readonly logLines: string[];
  /** Begins the draining, as a signal of the operator does. */
  readonly shutDown: () => void;
};

/** What a test may want otherwise. */
export type RigOptions = {
  readonly leaseMs?: number;
  readonly limits?: Partial<FetchLimits>;
  readonly concurrency?: number;
} & Partial<Pick<FetchWorkerDeps, 'archive' | 'trustedCertificates' | 'exemptAddresses' | 'publicRefusal'>>;

/** Short times where nothing is judged by them. */
const LIMITS: Partial<FetchLimits> = { leaseWaitMs: 50, reportDelayMs: 20, leaseMarginMs: 50 };

export async function startFetchRig(options: RigOptions = {}): Promise<FetchRig> {
  const dir = await mkdtemp(join(tmpdir(), 'decorum-fetch-'));
  const archive = createDirectoryArchive(dir);
  const frontier = createScriptedFrontier(options.leaseMs);
  const shutdown = new AbortController();
  const logLines: string[] = [];
  const worker = startFetchWorker({
    client: frontier.client,
    archive: options.archive ?? archive,
    spoolDir: dir,
    clock: systemClock,
    logger: createLogger({ write: (line) => logLines.push(line) }),
    identity: IDENTITY,
    workerVersion: '0.1.0',
    concurrency: options.concurrency ?? 10,
    limits: { ...LIMITS, ...options.limits },
    publicRefusal: options.publicRefusal,
    exemptAddresses: options.exemptAddresses ?? createAddressBlocks(['127.64.0.0/10']),
    trustedCertificates: options.trustedCertificates,
    signal: shutdown.signal,
  });
  return {
    ...{ frontier, archive, archiveDir: dir, worker, logLines },
    shutDown: () => shutdown.abort(),
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]();
      await rm(dir, { recursive: true });
    },
  };
}

/** What a test may want otherwise of a lease. */
export type LeaseParts = {
  readonly leaseToken?: string;
  readonly scheme?: 'http' | 'https';
  readonly host?: string;
  readonly address?: string;
  readonly port?: number;
  readonly expiresAfterMs?: number;
  readonly siteDelayMs?: number;
  readonly slotSpacingMs?: number;
  /** Null: the origin was never asked. */
  readonly robots?: RobotsInit | null;
  /** Of every item. */
  readonly item?: ItemInit;
};

/** A lease of pages on a site; request ids are their paths. */
export function leaseOf(site: RawSite, paths: readonly string[], parts: LeaseParts = {}): LeaseInit {
  const { host = 'a.test', scheme = 'http', port = site.port } = parts;
  const robots = parts.robots === undefined ? ALLOW_ALL : parts.robots;
  return {
    leaseToken: parts.leaseToken ?? `token-${host}-${paths.join('-')}`,
    expiresAfter: durationFromMs(parts.expiresAfterMs ?? 30_000),
    site: host,
    ...{ scheme, host, port, slot: 0, address: parts.address ?? site.address },
    siteDelay: durationFromMs(parts.siteDelayMs ?? 1),
    slotSpacing: durationFromMs(parts.slotSpacingMs ?? 1),
    ...(robots === null ? {} : { robots }),
    policyVersion: 7n,
    residency: 'eu',
    items: paths.map((path) => ({
      requestId: path,
      url: `${scheme}://${host}:${port}${path}`,
      maxBodyBytes: BODY_BYTES,
      purposes: ['SEARCH'],
      ...parts.item,
    })),
  };
}
