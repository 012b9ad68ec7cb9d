import { access, constants } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Config } from '../../config/config.ts';
import type { Finding } from './finding.ts';
import { fail, ok } from './finding.ts';

const CONNECT_MS = 3_000;
const POSTGRES_PORT = 5_432;
const NATS_PORT = 4_222;

/** Postgres and NATS: reachable where they are given, otherwise embedded. */
export async function checkServices({
  databaseUrl,
  nats,
}: Pick<Config, 'databaseUrl' | 'nats'>): Promise<Finding[]> {
  const findings = [
    databaseUrl === undefined
      ? ok('PostgreSQL', 'embedded: runs while npm start runs')
      : await checkPort('PostgreSQL', 'DATABASE_URL', databaseUrl, POSTGRES_PORT),
  ];
  if (nats.kind === 'embedded') return [...findings, ok('NATS', 'embedded: runs while npm start runs')];
  for (const url of nats.urls) findings.push(await checkPort('NATS', 'NATS_URL', url, NATS_PORT));
  for (const file of [nats.credsFile, nats.sysCredsFile, nats.operatorSeedFile, nats.accountSeedFile]) {
    const isReadable = await access(file, constants.R_OK).then(
      () => true,
      () => false,
    );
    if (!isReadable)
      findings.push(
        fail('NATS', `${file} can not be read`, 'Correct the variable that names it, or its mode.'),
      );
  }
  return findings;
}

/** The URL may hold a password, so that only its host is told. */
async function checkPort(
  check: string,
  variable: string,
  text: string,
  defaultPort: number,
): Promise<Finding> {
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1';
  const port = url.port === '' ? defaultPort : Number(url.port);
  const error = await tryConnect(host, port);
  if (error === undefined) return ok(check, `${host}:${port} takes connections`);
  return fail(check, `${host}:${port}: ${error}`, `Start it, or correct ${variable}.`);
}

function tryConnect(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS });
    const finish = (error?: string) => {
      socket.destroy();
      resolve(error);
    };
    socket.once('connect', () => finish());
    socket.once('timeout', () => finish('no answer'));
    socket.once('error', (error) => finish(error.message));
  });
}
