import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

import { startStatus } from '@decorum/server/api/start-status.ts';
import { loadConfig } from '@decorum/server/config/load-config.ts';
import { createLogger } from '@decorum/server/runtime/logger.ts';
import { createMetrics } from '@decorum/server/runtime/metrics.ts';
import { createReadiness } from '@decorum/server/runtime/readiness.ts';

const server = (file: string) => JSON.stringify(import.meta.resolve(`@decorum/server/runtime/${file}`));

/** A process that shuts down in order and says so; `body` runs once it waits. */
function start(body = '') {
  const program = `
    import { createLogger } from ${server('logger.ts')};
    import { createShutdown } from ${server('shutdown.ts')};
    using shutdown = createShutdown(createLogger());
    const alive = setInterval(() => undefined, 1_000);
    console.log('up');
    ${body}
    await new Promise((resolve) => shutdown.signal.addEventListener('abort', resolve));
    console.log('closing');
    if (process.argv.includes('hang')) await new Promise(() => undefined);
    clearInterval(alive);
  `;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program, 'x'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const exited = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const said = async (word: string) => {
    const ended = exited.then((how) =>
      assert.fail(`ended by ${String(how)} without "${word}": ${output} ${errors}`),
    );
    ended.catch(() => undefined);
    while (!output.includes(word)) await Promise.race([once(child.stdout, 'data'), ended]);
  };
  return { child, said, exited, errors: () => errors };
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} ends the process in order, with exit code 0`, async () => {
    const { child, said, exited } = start();
    await said('up');
    child.kill(signal);
    await said('closing');
    assert.deepEqual(await exited, [0, null]);
  });
}

test('the second signal ends a process that hangs, at once', async () => {
  const { child, said, exited } = start(`process.argv.push('hang');`);
  await said('up');
  child.kill('SIGINT');
  await said('closing');
  child.kill('SIGINT');
  assert.deepEqual(await exited, [null, 'SIGINT']);
});

for (const [title, body] of [
  ['an uncaught error', `setTimeout(() => { throw new Error('broken inside'); });`],
  ['a rejection nobody handles', `void Promise.reject(new Error('broken inside'));`],
] as const) {
  test(`${title} is logged and ends the process in order, with exit code 1`, async () => {
    const { said, exited, errors } = start(body);
    await said('closing');
    assert.deepEqual(await exited, [1, null]);
    assert.match(errors(), /"level":"error".*broken inside/);
  });
}

test('a process without an API can be watched all the same', async () => {
  await using metrics = createMetrics();
  const config = loadConfig({ DECORUM_HTTP_ADDRESS: '127.0.0.1:0' });
  const readiness = createReadiness();
  await using status = await startStatus({
    config,
    metrics,
    readiness,
    logger: createLogger({ write: () => undefined }),
  });
  const url = `http://${status.httpAddress}`;
  readiness.report('archive', 'full');
  assert.equal((await fetch(`${url}/readyz`)).status, 503);
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  assert.equal((await fetch(`${url}/metrics`)).status, 200);
  assert.equal((await fetch(`${url}/bot`)).status, 404);
});
