import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { listProcesses, waitUntilGone } from '../support/embedded/list-processes.ts';

const WATCHED = fileURLToPath(new URL('../support/fetch/watched-process.ts', import.meta.url));
const SILENT_MS = 600;

type Watched = Disposable & { process: ChildProcess; pid: number; exit: Promise<unknown[]>; name: string };

async function startWatched(silentMs = SILENT_MS): Promise<Watched> {
  const child = fork(WATCHED, [String(silentMs)]);
  const exit = once(child, 'exit');
  await once(child, 'message');
  const pid = child.pid ?? assert.fail('no pid');
  const name = `watchdog-process.ts ${pid} `;
  return { process: child, pid, exit, name, [Symbol.dispose]: () => void child.kill('SIGKILL') };
}

async function watchdogPid({ name }: Watched): Promise<number> {
  const found = await listProcesses(name);
  assert.equal(found.length, 1);
  return found[0]?.pid ?? 0;
}

test('M1: a worker that blocks its event loop is killed, and its watchdog ends with it', async () => {
  using worker = await startWatched();
  await watchdogPid(worker);
  worker.process.send('block');
  assert.deepEqual(await worker.exit, [null, 'SIGKILL']);
  await waitUntilGone(worker.name);
});

test('M1: a worker that is stopped is killed, also by a watchdog that replaced another', async () => {
  using worker = await startWatched();
  const first = await watchdogPid(worker);
  process.kill(first, 'SIGKILL');
  while ((await listProcesses(worker.name)).every(({ pid }) => pid === first)) await sleep(20);
  process.kill(worker.pid, 'SIGSTOP');
  assert.deepEqual(await worker.exit, [null, 'SIGKILL']);
  await waitUntilGone(worker.name);
});

test('a worker that lives is left alone; its watchdog outlives a Ctrl-C and ends when the worker ends in order', async () => {
  using worker = await startWatched(1_000);
  const pid = await watchdogPid(worker);
  await sleep(3_000);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(pid, signal);
  await sleep(1_000);
  assert.equal(await watchdogPid(worker), pid);
  worker.process.send('end');
  assert.deepEqual(await worker.exit, [0, null]);
  assert.deepEqual(await listProcesses(worker.name), []);
});

test('a worker that was suspended together with its watchdog is not killed for it, unless it stays silent', async () => {
  using worker = await startWatched();
  const pid = await watchdogPid(worker);
  await sleep(1_000);
  process.kill(worker.pid, 'SIGSTOP');
  process.kill(pid, 'SIGSTOP');
  await sleep(1_500);
  process.kill(pid, 'SIGCONT');
  process.kill(worker.pid, 'SIGCONT');
  await sleep(1_000);
  assert.equal(await watchdogPid(worker), pid);
  assert.equal(worker.process.signalCode, null);
  process.kill(worker.pid, 'SIGSTOP');
  process.kill(pid, 'SIGSTOP');
  await sleep(1_500);
  process.kill(pid, 'SIGCONT');
  assert.deepEqual(await worker.exit, [null, 'SIGKILL']);
});
