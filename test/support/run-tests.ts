// npm test [-- <file or pattern>…]: starts what tests share, runs node's test runner over every *.test.ts (or those named),
// and ends with its exit code. A signal ends the runner first, then what was started.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { DATABASE_URL_VARIABLE, startTestPostgres } from './database.ts';
import { startTestNats } from './nats.ts';

const WORKSPACES = ['policy', 'server', 'sdk', 'test'];

/** A test that has not ended by then hangs. */
const TEST_MS_MAX = 300_000;

const patterns = process.argv.slice(2);
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopped.abort());

const postgres = await startTestPostgres();
try {
  // The files start servers of their own; this one only makes sure that the program is there before they all look for it.
  await (await startTestNats())[Symbol.asyncDispose]();
  process.exitCode = stopped.signal.aborted ? 1 : await runTests(postgres.url, stopped.signal);
} finally {
  await postgres[Symbol.asyncDispose]();
}

async function runTests(databaseUrl: string, signal: AbortSignal): Promise<number> {
  const runner = spawn(
    process.execPath,
    [
      '--test',
      `--test-concurrency=${Math.max(2, availableParallelism())}`,
      `--test-timeout=${TEST_MS_MAX}`,
      ...(patterns.length > 0 ? patterns : WORKSPACES.map((workspace) => `${workspace}/**/*.test.ts`)),
    ],
    { stdio: 'inherit', env: { ...process.env, [DATABASE_URL_VARIABLE]: databaseUrl } },
  );
  signal.addEventListener('abort', () => runner.kill('SIGTERM'));
  const [code] = (await once(runner, 'exit')) as [number | null];
  return code ?? 1;
}
