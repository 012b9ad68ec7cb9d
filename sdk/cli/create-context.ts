import type { Readable, Writable } from 'node:stream';
import { once } from 'node:events';
import { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import { createApiClient } from '../client/api-client.ts';
import { connect, openTransport } from '../client/connect.ts';
import { DecorumError } from '../client/decorum-error.ts';
import type { CliConfig } from '../config/load-cli-config.ts';
import { readOperatorKey } from '../config/load-cli-config.ts';
import type { CliContext } from './cli-context.ts';
import { formatFields, formatRow, formatTable, formatTitles } from './print-table.ts';
import { toJson } from './to-json.ts';

/** The streams and signals of a process; tests give their own. */
export type CliHost = {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
  readonly signal: AbortSignal;
};

/** A context over `host`. Disposing closes the connections that the command asked for. */
export function createContext(host: CliHost, config: CliConfig, json: boolean): CliContext & AsyncDisposable {
  const connections = new AsyncDisposableStack();
  const { stdout, stderr, signal } = host;
  const write = async (text: string): Promise<void> => {
    if (!stdout.write(text) && !signal.aborted)
      await once(stdout, 'drain', { signal }).catch(() => undefined);
  };
  const writeJson = (value: object) => write(`${toJson(value)}\n`);
  const note = (text: string) => void stderr.write(`${text}\n`);
  let titlesOf: unknown;

  return {
    json,
    config,
    stdin: host.stdin,
    stdout,
    stdoutIsTerminal: stdout.isTTY === true,
    signal,
    nowMs: Date.now,
    note,
    tenant() {
      if (config.key === undefined)
        throw missingKey(
          "This command needs a tenant's key: set DECORUM_KEY. An operator makes one with: npx decorum key create --role tenant --tenant <id>",
        );
      return connections.use(connect({ url: config.url, key: config.key, failFast: true }));
    },
    async operator() {
      const { url, operatorKeyFile } = config;
      const key = config.key ?? (await readOperatorKey(operatorKeyFile));
      if (key === undefined)
        throw missingKey(
          `This command needs an operator's key: set DECORUM_KEY, or run it where ${operatorKeyFile} is.`,
        );
      if (config.key === undefined) note(`Using the key in ${operatorKeyFile}.`);
      return createApiClient(TenantService, connections.use(openTransport({ url, key, failFast: true })));
    },
    printFields: (object, fields) => (json ? writeJson(object) : write(formatFields(fields))),
    async printTable(columns, rows) {
      if (json) for (const row of rows) await writeJson(row);
      else await write(formatTable(columns, rows));
    },
    async printRow(columns, row) {
      if (json) return writeJson(row);
      const titles = titlesOf === columns ? '' : formatTitles(columns);
      titlesOf = columns;
      return write(titles + formatRow(columns, row));
    },
    [Symbol.asyncDispose]: () => connections.disposeAsync(),
  };
}

function missingKey(message: string): DecorumError {
  return new DecorumError({ code: 'unauthenticated', reason: 'NO_KEY', message });
}
