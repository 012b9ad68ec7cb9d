import { createAddressBlocks } from '@decorum/policy/address/address-blocks.ts';
import { parseAllowAddresses } from '@decorum/policy/address/parse-allow-addresses.ts';
import { LEASE_MS, LOCK_DELAY_MS } from '@decorum/policy/politeness/defaults.ts';
import { Resolver } from 'node:dns';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { LOG_LEVELS } from '../runtime/logger.ts';
import { checkRelations } from './check-relations.ts';
import { ConfigError } from './config-error.ts';
import { ROLES, type ArchiveConfig, type Config, type NatsConfig, type ProcessRole } from './config.ts';
import { createVariables, type Environment, type Variables } from './create-variables.ts';
import { loadIdentity } from './load-identity.ts';
import { parseListenAddress } from './parse-listen-address.ts';

/** Read by the SDK, the CLI and the workers (sdk/config), and no mistake in our environment. */
const ELSEWHERE = new Set(['DECORUM_URL', 'DECORUM_KEY']);

const FETCH_TOTAL_MS = 30_000;

/**
 * Reads the environment into one checked object. Throws a `ConfigError` that lists every problem at once.
 *
 * | variable | means; default |
 * |---|---|
 * | `DATABASE_URL`, `NATS_URL` | services to use; unset: started as children |
 * | `DECORUM_NATS_CREDS`, `…_SYS_CREDS`, `…_OPERATOR_SEED_FILE`, `…_ACCOUNT_SEED_FILE` | files, required with `NATS_URL` |
 * | `DECORUM_ARCHIVE_URL` | `file:///path` or `s3://bucket/prefix`; `archive` in the data directory |
 * | `DECORUM_DATA_DIR` | `.data` |
 * | `DECORUM_ROLES` | comma separated; all of them |
 * | `DECORUM_GRPC_ADDRESS`, `DECORUM_HTTP_ADDRESS` | 127.0.0.1:7070, 127.0.0.1:7080 |
 * | `DECORUM_GRPC_TLS_CERT_FILE`, `DECORUM_GRPC_TLS_KEY_FILE` | PEM files, both or none |
 * | `DECORUM_PUBLIC_URL`, `DECORUM_CONTACT` | who we are; required in production, and before a public address is fetched |
 * | `DECORUM_EGRESS_ADDRESSES` | what `/bot/ip-ranges.json` lists; nothing |
 * | `DECORUM_DNS_SERVERS` | address[:port], comma separated; the system's |
 * | `DECORUM_LEASE_MS`, `DECORUM_LOCK_DELAY_MS` | 60,000 each |
 * | `DECORUM_FETCH_TOTAL_MS` | 30,000 |
 * | `DECORUM_ALLOW_ADDRESSES` | CIDR blocks exempt from the address guard, for tests; refused in production |
 * | `DECORUM_LOG_LEVEL` | info |
 */
export function loadConfig(env: Environment = process.env): Config {
  const variables = createVariables(env);
  const production = variables.text('NODE_ENV') === 'production';
  const dataDir = resolve(variables.text('DECORUM_DATA_DIR') ?? '.data');
  const httpAddress = loadAddress(variables, 'DECORUM_HTTP_ADDRESS', 7080);
  const allow = loadAllowAddresses(variables, production);

  const config = {
    production,
    logLevel: variables.oneOf('DECORUM_LOG_LEVEL', LOG_LEVELS, 'info'),
    roles: loadRoles(variables),
    dataDir,
    databaseUrl: loadServiceUrl(
      variables,
      'DATABASE_URL',
      /^postgres(?:ql)?:$/,
      'postgres://user:password@host/database',
    ),
    nats: loadNats(variables),
    archive: loadArchive(variables, dataDir),
    grpcAddress: loadAddress(variables, 'DECORUM_GRPC_ADDRESS', 7070),
    httpAddress,
    tls: loadTls(variables),
    dnsServers: loadDnsServers(variables),
    identity: loadIdentity(variables, { httpAddress, production, allowsAddresses: allow.allowsAddresses }),
    leaseMs: variables.integer('DECORUM_LEASE_MS', { default: LEASE_MS, min: 1_000, max: 600_000 }),
    lockDelayMs: variables.integer('DECORUM_LOCK_DELAY_MS', {
      default: LOCK_DELAY_MS,
      min: 0,
      max: 3_600_000,
    }),
    fetchTotalMs: variables.integer('DECORUM_FETCH_TOTAL_MS', {
      default: FETCH_TOTAL_MS,
      min: 100,
      max: 600_000,
    }),
    ...allow,
  };
  checkRelations(config, variables);
  warnAboutUnknown(variables, env);
  if (variables.problems.length > 0) throw new ConfigError(variables.problems);
  return { ...config, warnings: variables.warnings };
}

function loadAddress(variables: Variables, name: string, port: number) {
  return variables.parsed(
    name,
    parseListenAddress,
    { host: '127.0.0.1', port },
    {
      problem: 'is no host:port',
      remedy: `Give an address and a port, as 127.0.0.1:${port} or [::1]:${port}`,
    },
  );
}

function loadAllowAddresses(variables: Variables, production: boolean) {
  const name = 'DECORUM_ALLOW_ADDRESSES';
  const text = variables.text(name);
  if (text === undefined) return { allowAddresses: createAddressBlocks([]), allowsAddresses: false };
  if (production) {
    variables.refuse(name, 'would let pages reach private addresses', 'Unset it; it exists for tests');
  }
  const parsed = parseAllowAddresses(text);
  if (parsed.ok) return { allowAddresses: parsed.exempt, allowsAddresses: true };
  variables.refuse(name, parsed.error.message, 'Give CIDR blocks for tests, as 127.64.0.0/10');
  return { allowAddresses: createAddressBlocks([]), allowsAddresses: true };
}

function loadRoles(variables: Variables): ReadonlySet<ProcessRole> {
  const name = 'DECORUM_ROLES';
  const given = variables.list(name);
  if (given.length === 0) return new Set(ROLES);
  const known = ROLES.filter((role) => given.includes(role));
  const unknown = given.filter((role) => !ROLES.some((known) => known === role));
  if (unknown.length > 0) {
    variables.refuse(name, `"${unknown.join(', ')}" is not known`, `Give some of ${ROLES.join(', ')}`);
  }
  return new Set(known);
}

function loadServiceUrl(
  variables: Variables,
  name: string,
  protocol: RegExp,
  example: string,
): string | undefined {
  const parse = (text: string) => (protocol.test(URL.parse(text)?.protocol ?? '') ? text : undefined);
  const expected = {
    problem: 'is no URL of that service',
    remedy: `Give one such as ${example}, or unset it`,
  };
  return variables.parsed(name, parse, undefined, expected);
}

function loadNats(variables: Variables): NatsConfig {
  const urls = variables.list('NATS_URL');
  const files = {
    credsFile: loadNatsFile(variables, 'DECORUM_NATS_CREDS', urls.length > 0),
    sysCredsFile: loadNatsFile(variables, 'DECORUM_NATS_SYS_CREDS', urls.length > 0),
    operatorSeedFile: loadNatsFile(variables, 'DECORUM_NATS_OPERATOR_SEED_FILE', urls.length > 0),
    accountSeedFile: loadNatsFile(variables, 'DECORUM_NATS_ACCOUNT_SEED_FILE', urls.length > 0),
  };
  if (urls.length === 0) return { kind: 'embedded' };
  if (!urls.every((url) => /^(?:nats|tls|wss?):$/.test(URL.parse(url)?.protocol ?? ''))) {
    variables.refuse(
      'NATS_URL',
      'is no list of NATS URLs',
      'Give them comma separated, as nats://host:4222, or unset it',
    );
  }
  return { kind: 'external', urls, ...files };
}

function loadNatsFile(variables: Variables, name: string, external: boolean): string {
  const file = variables.text(name);
  if (external && file === undefined) {
    variables.refuse(
      name,
      'is not set, but NATS_URL is',
      'Name the file, or unset NATS_URL for the embedded server',
    );
  }
  if (!external && file !== undefined) {
    variables.refuse(
      name,
      'is set, but NATS_URL is not',
      'Set NATS_URL too, or unset it for the embedded server',
    );
  }
  return file === undefined ? '' : resolve(file);
}

function loadArchive(variables: Variables, dataDir: string): ArchiveConfig {
  return variables.parsed(
    'DECORUM_ARCHIVE_URL',
    parseArchiveUrl,
    { kind: 'directory', path: join(dataDir, 'archive') },
    {
      problem: 'is neither a file nor an s3 URL',
      remedy: 'Give file:///absolute/path or s3://bucket/prefix, or unset it',
    },
  );
}

function parseArchiveUrl(text: string): ArchiveConfig | undefined {
  const url = URL.parse(text);
  if (url === null || url.search !== '' || url.hash !== '') return undefined;
  if (url.protocol === 'file:' && url.host === '' && url.pathname !== '/') {
    return { kind: 'directory', path: fileURLToPath(url) };
  }
  if (url.protocol !== 's3:' || url.host === '' || url.username !== '') return undefined;
  return { kind: 's3', bucket: url.host, prefix: url.pathname.replace(/^\/+|\/+$/g, '') };
}

function loadTls(variables: Variables): Config['tls'] {
  const certName = 'DECORUM_GRPC_TLS_CERT_FILE';
  const keyName = 'DECORUM_GRPC_TLS_KEY_FILE';
  const certFile = variables.text(certName);
  const keyFile = variables.text(keyName);
  if (certFile !== undefined && keyFile !== undefined) {
    return { certFile: resolve(certFile), keyFile: resolve(keyFile) };
  }
  if (certFile !== undefined) variables.refuse(keyName, `is not set, but ${certName} is`, 'Set both or none');
  if (keyFile !== undefined) variables.refuse(certName, `is not set, but ${keyName} is`, 'Set both or none');
  return undefined;
}

function loadDnsServers(variables: Variables): readonly string[] {
  const name = 'DECORUM_DNS_SERVERS';
  const servers = variables.list(name);
  try {
    new Resolver().setServers(servers);
    return servers;
  } catch {
    variables.refuse(name, 'is no list of DNS servers', 'Give addresses, as 192.0.2.53,[2001:db8::53]:5353');
    return [];
  }
}

function warnAboutUnknown(variables: Variables, env: Environment): void {
  for (const name of Object.keys(env).sort()) {
    if (!name.startsWith('DECORUM_') || variables.known.has(name) || ELSEWHERE.has(name)) continue;
    variables.warn(`${name} is set, but no such setting exists.`);
  }
}
