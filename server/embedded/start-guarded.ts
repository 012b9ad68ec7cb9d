import { type ChildProcess, fork } from 'node:child_process';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { EmbeddedError } from './embedded-error.ts';
import { endOrphan } from './end-orphan.ts';
import type { ChildPlan, GuardianReport } from './guardian-protocol.ts';

/** How a service ended. Both undefined: its guardian was killed, and the service was ended after it. */
export type ServiceEnd = { code?: number | null; signal?: NodeJS.Signals | null };

/** A service that runs under a guardian. Disposing it ends it in order and resolves when it is gone. */
export type GuardedService = AsyncDisposable & {
  pid: number;
  isRunning(): boolean;
  /** Resolves when the service has ended, whether it was told to or not; never rejects. */
  ended: Promise<ServiceEnd>;
};

const GUARDIAN = fileURLToPath(new URL('./guardian.ts', import.meta.url));

/**
 * Starts a service under a guardian (see `guardian.ts`): it ends when it is disposed, or when this process is gone. It does not keep
 * this process alive. Resolves when the service was spawned, which says nothing of it being ready. Throws `START_FAILED`.
 *
 * `orphanArgument` is an argument of the command line that no other program has; it serves to end the service should its guardian be
 * killed while we live.
 */
export async function startGuarded(plan: ChildPlan, orphanArgument: string): Promise<GuardedService> {
  const guardian = await forkGuardian(plan);
  const reports = listen(guardian);
  guardian.send(plan, () => undefined);
  const first = await reports.first;
  if (first.type !== 'started') {
    const why = first.type === 'failed' ? first.message : 'it ended at once';
    throw new EmbeddedError('START_FAILED', `${plan.name} could not be started: ${why}; see ${plan.logFile}`);
  }
  const { pid } = first;
  let isRunning = true;
  const ended = reports.end.then(async (end) => {
    if (end === undefined)
      await endOrphan({ pid, argument: orphanArgument, stop: plan.stop }).catch(() => false);
    isRunning = false;
    return end ?? {};
  });
  // While it runs, the guardian is no reason for this process to go on; the pipe tells it when we are gone.
  guardian.unref();
  guardian.channel?.unref();
  return {
    pid,
    isRunning: () => isRunning,
    ended,
    async [Symbol.asyncDispose](): Promise<void> {
      guardian.ref();
      guardian.channel?.ref();
      if (guardian.connected) guardian.send('stop', () => undefined);
      await ended;
    },
  };
}

async function forkGuardian(plan: ChildPlan): Promise<ChildProcess> {
  await using log = await open(plan.logFile, 'a', 0o600);
  // The arguments are for who looks at the process list; the plan follows over the pipe.
  return fork(GUARDIAN, [plan.name, plan.cwd], {
    // A session of its own: neither a Ctrl-C nor a closing terminal reaches guardian and service.
    detached: true,
    cwd: '/',
    env: {},
    execArgv: [],
    stdio: ['ignore', 'ignore', log.fd, 'ipc'],
  });
}

type Reports = { first: Promise<GuardianReport>; end: Promise<ServiceEnd | undefined> };

/** `end` is undefined when the guardian went away without a word. */
function listen(guardian: ChildProcess): Reports {
  const first = Promise.withResolvers<GuardianReport>();
  const exit = Promise.withResolvers<undefined>();
  const disconnect = Promise.withResolvers<undefined>();
  let last: ServiceEnd | undefined;
  guardian.on('message', (report: GuardianReport) => {
    first.resolve(report);
    if (report.type === 'ended') last = { code: report.code, signal: report.signal };
  });
  guardian.once('error', (error) => first.resolve({ type: 'failed', message: error.message }));
  guardian.once('exit', () => exit.resolve(undefined));
  // The last report may still be in the pipe when the exit is noticed.
  guardian.once('disconnect', () => disconnect.resolve(undefined));
  const end = Promise.all([exit.promise, disconnect.promise]).then(() => last);
  void end.then(() => first.resolve({ type: 'failed', message: 'its guardian ended' }));
  return { first: first.promise, end };
}
