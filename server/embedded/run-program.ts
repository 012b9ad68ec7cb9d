import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ServiceUser } from './service-user.ts';

const execute = promisify(execFile);

/** Most output that a program may print, bytes. */
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

/** A program that runs to its end. */
export type Program = {
  command: string;
  args: string[];
  user?: ServiceUser | undefined;
  /** Default `/`, which every user may enter. */
  cwd?: string;
  /** Our own environment (proxies and the like) instead of a bare one: the system's own PATH, no locale, UTC. */
  inheritsEnv?: boolean;
  input?: string;
  signal?: AbortSignal | undefined;
  timeoutMs: number;
};

const BARE_ENV = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** Runs a program and answers what it printed. Throws, with the end of its standard error in the message, when it fails. */
export async function runProgram(program: Program): Promise<string> {
  const { command, args, user, input, signal, timeoutMs } = program;
  const running = execute(command, args, {
    cwd: program.cwd ?? '/',
    timeout: timeoutMs,
    maxBuffer: OUTPUT_BYTES_MAX,
    ...(program.inheritsEnv === true ? {} : { env: BARE_ENV }),
    ...(signal === undefined ? {} : { signal }),
    ...(user === undefined ? {} : { uid: user.uid, gid: user.gid }),
  });
  // A program that ends without reading its input closes the pipe on us; its exit code tells.
  running.child.stdin?.on('error', () => undefined).end(input);
  try {
    return (await running).stdout;
  } catch (cause) {
    signal?.throwIfAborted();
    const said = ((cause as { stderr?: string }).stderr ?? '').trim().slice(-1500);
    throw new Error(`${command} failed: ${said === '' ? String(cause) : said}`, { cause });
  }
}
