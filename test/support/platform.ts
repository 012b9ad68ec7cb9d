/** The platform as its users start it: a process of its own, found by what it prints. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { Role } from '@decorum/proto/decorum/access/v1/access_pb.ts';
import { TenantService } from '@decorum/proto/decorum/admin/v1/tenant_service_pb.ts';
import { createGrpcTransport } from '@decorum/sdk/transport/grpc-transport.ts';

const MAIN = fileURLToPath(new URL('../../server/main.ts', import.meta.url));
const START_MS_MAX = 120_000;
const STOP_MS_MAX = 40_000;

/** A running platform. */
export type Platform = AsyncDisposable & {
  readonly child: ChildProcess;
  /** For `connect` and DECORUM_URL. */
  readonly url: string;
  readonly httpUrl: string;
  readonly dataDir: string;
  readonly operatorKey: string;
  /** What it wrote to its log so far. */
  readonly log: () => string;
  /** Creates a tenant and answers its key. */
  readonly createTenant: (tenantId: string, purpose: string, weight?: number) => Promise<string>;
};

/** How a platform is started. */
export type PlatformOptions = {
  readonly dataDir: string;
  /** Beside the present environment; addresses are free ones unless given. */
  readonly env?: Readonly<Record<string, string>>;
};

/** Starts `server/main.ts` and waits until it listens. Rejects with its log when it ends before. */
export async function startPlatform({ dataDir, env = {} }: PlatformOptions): Promise<Platform> {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...process.env,
      DECORUM_DATA_DIR: dataDir,
      DECORUM_GRPC_ADDRESS: '127.0.0.1:0',
      DECORUM_HTTP_ADDRESS: '127.0.0.1:0',
      ...env,
    },
    // The channel carries nothing; its end tells the platform that this process is gone.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A Ctrl-C at the terminal is for the parent, which ends this process in its turn.
    detached: true,
  });
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const { url, httpUrl } = await announced(child, () => log);
  const operatorKey = (await readFile(join(dataDir, 'operator.key'), 'utf8')).trim();
  return {
    ...{ child, url, httpUrl, dataDir, operatorKey },
    log: () => log,
    createTenant: (tenantId, purpose, weight = 1) =>
      createTenant(url, operatorKey, { tenantId, purpose, weight }),
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
      await exited;
      clearTimeout(timer);
    },
  };
}

async function announced(child: ChildProcess, log: () => string): Promise<{ url: string; httpUrl: string }> {
  let text = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the platform did not start in time\n${log()}`));
    }, START_MS_MAX);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`the platform ended while it started (${signal ?? code ?? ''})\n${log()}`));
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const url = /gRPC\s+(https?:\/\/\S+)/.exec(text)?.[1];
      const httpUrl = /pages\s+(http:\/\/\S+)/.exec(text)?.[1];
      if (url === undefined || httpUrl === undefined) return;
      clearTimeout(timer);
      child.removeAllListeners('exit');
      resolve({ url, httpUrl });
    });
  });
}

async function createTenant(
  url: string,
  key: string,
  tenant: { readonly tenantId: string; readonly purpose: string; readonly weight: number },
): Promise<string> {
  await using transport = createGrpcTransport({ url, key });
  const client = createClient(TenantService, transport);
  await client.createTenant(tenant);
  const created = await client.createKey({ role: Role.TENANT, tenantId: tenant.tenantId });
  return created.key;
}
