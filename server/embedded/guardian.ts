/**
 * The guardian: a process of its own that stands between the platform and one embedded service, so that the service never
 * outlives the platform, however that ends.
 *
 * Flow: the platform forks a guardian into a session of its own (a Ctrl-C in the terminal does not reach it) and sends it one
 * `ChildPlan` over the IPC pipe. The guardian spawns the child, reports its pid, and waits. The platform asks for the end
 * with any second message; when it is gone, be it by `kill -9`, the pipe closes. Then the child is sent its stop signals in order, each with its bound, at last
 * SIGKILL. When the child has ended, for whatever reason, the guardian reports it and ends as well.
 *
 * States: waiting for a plan, running, stopping. A guardian that is itself killed leaves an orphan; `end-orphan.ts` deals with it
 * from the platform or at the next start.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, statSync, truncateSync } from 'node:fs';
import type { ChildPlan, GuardianReport, StopStep } from './guardian-protocol.ts';

/** Size at which a log file is put aside; so a service's log takes at most twice that. */
const LOG_BYTES_MAX = 16 * 1024 * 1024;
const LOG_CHECK_MS = 60_000;
/** Descriptor that the platform opened on the log file, for appending; the child inherits it. */
const LOG_FD = 2;

let stop = (): void => {
  letGo();
};

process.once('message', (plan) => {
  guard(plan as ChildPlan);
  process.on('message', () => stop());
});
process.on('disconnect', () => stop());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop());

function guard(plan: ChildPlan): void {
  if (!process.connected) return;
  const child = spawn(plan.command, plan.args, {
    cwd: plan.cwd,
    env: plan.env,
    stdio: ['ignore', LOG_FD, LOG_FD],
    ...plan.user,
  });
  child.once('error', (error) => tellLast({ type: 'failed', message: error.message }));
  child.once('spawn', () => tell({ type: 'started', pid: child.pid ?? 0 }));
  child.once('exit', (code, signal) => tellLast({ type: 'ended', code, signal }));
  setInterval(() => boundLog(plan.logFile), LOG_CHECK_MS).unref();
  stop = (): void => {
    stop = (): void => undefined;
    endInOrder(child, plan.stop);
  };
}

function endInOrder(child: ChildProcess, steps: StopStep[]): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const [step, ...rest] = steps;
  child.kill(step?.signal ?? 'SIGKILL');
  if (step !== undefined) setTimeout(() => endInOrder(child, rest), step.waitMs).unref();
}

function boundLog(logFile: string): void {
  try {
    if (statSync(logFile).size <= LOG_BYTES_MAX) return;
    // The child keeps its descriptor, which appends: emptying the file under it is safe, renaming it would not bound anything.
    copyFileSync(logFile, `${logFile}.1`);
    truncateSync(logFile);
  } catch {
    // A log that was moved or deleted under us is no reason to stop a database.
  }
}

function tell(report: GuardianReport): void {
  if (process.connected) process.send?.(report, () => undefined);
}

function tellLast(report: GuardianReport): void {
  if (process.connected) process.send?.(report, letGo);
  // Without the pipe and the child nothing keeps this process alive.
}

function letGo(): void {
  if (process.connected) process.disconnect();
}
