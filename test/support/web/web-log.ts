import { performance } from 'node:perf_hooks';

/** One TCP connection, from accept to the moment its close was seen (null: still open when the log was taken). */
export type ConnectionEntry = {
  kind: 'connection';
  id: number;
  scheme: 'http' | 'https';
  address: string;
  clientPort: number;
  acceptedAt: number;
  closedAt: number | null;
};

/**
 * One request whose head arrived whole. `startedAt`: its first byte was read. `endedAt`: before the last byte of
 * the answer was handed to the kernel or, when the client left first, when its close was seen; null while it runs.
 */
export type RequestEntry = {
  kind: 'request';
  id: number;
  connection: number;
  scheme: 'http' | 'https';
  address: string;
  /** The Host header in lower case, port included. */
  host: string;
  method: string;
  path: string;
  headers: [name: string, value: string][];
  userAgent: string;
  startedAt: number;
  endedAt: number | null;
  /** 0 while nothing was answered. */
  status: number;
  /** Bytes handed to the socket, head included. */
  bytes: number;
  clientLeft: boolean;
  /** The whole answer was sent, as far as its own framing says. */
  isComplete: boolean;
  /** Where a redirect points to, absolute. */
  location?: string;
  /** The rules that a robots.txt (or the end of its redirects) served. */
  robotsText?: string;
};

/** One DNS query and what became of it. */
export type DnsEntry = { kind: 'dns'; at: number; name: string; type: string; answer: string };

/** The largest event-loop delay seen in one stretch of about a second. */
export type LoopEntry = { kind: 'loop'; from: number; to: number; delayMs: number };

/** What the test web writes down; all instants are milliseconds of one monotonic clock. */
export type WebLogEntry = ConnectionEntry | RequestEntry | DnsEntry | LoopEntry;

/** Reads the log's clock: monotonic, in milliseconds with a fraction, from the start of the web's process. */
export const readLogClock = (): number => performance.now();

/** The growing log. Entries are live objects until the log is taken: ends are filled in as they are seen. */
export type WebLog = {
  entries: WebLogEntry[];
  nextId(): number;
};

export function createWebLog(): WebLog {
  let id = 0;
  return { entries: [], nextId: () => ++id };
}

/** Writes a log as JSON lines, one entry a line, for a person or another program to read. */
export const formatWebLog = (entries: readonly WebLogEntry[]): string =>
  entries.map((entry) => JSON.stringify(entry) + '\n').join('');
