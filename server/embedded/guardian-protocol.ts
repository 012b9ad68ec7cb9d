/** A signal and how long it may take to work before the next one is sent. */
export type StopStep = { signal: NodeJS.Signals; waitMs: number };

/** What a guardian is told to run. */
export type ChildPlan = {
  /** Shown in process lists and messages. */
  name: string;
  command: string;
  args: string[];
  /** Absolute; must be one the child may enter. */
  cwd: string;
  /** The whole environment of the child. */
  env: Record<string, string>;
  /** Absent: the child runs as we do. */
  user?: { uid: number; gid: number };
  /** How the child is ended, in order; a SIGKILL follows the last step by itself. */
  stop: StopStep[];
  /** Takes the output of child and guardian; copied to `<logFile>.1` and emptied when it is full. */
  logFile: string;
};

/** What a guardian tells its parent. `failed`: the child could not be spawned. */
export type GuardianReport =
  | { type: 'started'; pid: number }
  | { type: 'failed'; message: string }
  | { type: 'ended'; code: number | null; signal: NodeJS.Signals | null };
