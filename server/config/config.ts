import type { AddressBlocks } from '@decorum/policy/address/address-blocks.ts';

import type { LogLevel } from '../runtime/logger.ts';
import type { Identity } from './load-identity.ts';
import type { ListenAddress } from './parse-listen-address.ts';

/** What a process can do; `npm start` does all of it. */
export const ROLES = ['api', 'fetch', 'publish', 'purge', 'jobs', 'console'] as const;

/** One of `ROLES`. */
export type ProcessRole = (typeof ROLES)[number];

/** Where JetStream is: a child of ours, or servers in operator mode with the files that let us administer them. */
export type NatsConfig =
  | { readonly kind: 'embedded' }
  | {
      readonly kind: 'external';
      readonly urls: readonly string[];
      readonly credsFile: string;
      readonly sysCredsFile: string;
      readonly operatorSeedFile: string;
      readonly accountSeedFile: string;
    };

/** Where segments are kept. */
export type ArchiveConfig =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

/** The platform's settings, complete and checked; see docs of `loadConfig` for the variables. */
export type Config = {
  readonly production: boolean;
  readonly logLevel: LogLevel;
  readonly roles: ReadonlySet<ProcessRole>;
  /** Absolute. */
  readonly dataDir: string;
  /** Absent: the embedded Postgres. Holds a password. */
  readonly databaseUrl: string | undefined;
  readonly nats: NatsConfig;
  readonly archive: ArchiveConfig;
  readonly grpcAddress: ListenAddress;
  readonly httpAddress: ListenAddress;
  /** PEM files of the gRPC listener; absent: h2c. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** As `dns.setServers` takes them; empty: the system's. */
  readonly dnsServers: readonly string[];
  readonly identity: Identity;
  /** M1, M7: how long a lease lasts, and how long its gates stay shut after it expired without a word. */
  readonly leaseMs: number;
  readonly lockDelayMs: number;
  /** One fetch, from dialling to the last byte. */
  readonly fetchTotalMs: number;
  /** Addresses that count as public, for tests on loopback; `allowsAddresses` says whether there are any. */
  readonly allowAddresses: AddressBlocks;
  readonly allowsAddresses: boolean;
  /** What an operator should know and that did not stop the start. */
  readonly warnings: readonly string[];
};
