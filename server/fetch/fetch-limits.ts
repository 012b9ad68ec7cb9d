/** From dialling to a connection that can be used, TLS included, in milliseconds. */
export const CONNECT_MS_MAX = 10_000;

/** From request written to the first byte of an answer. Slower sites exist; waiting longer keeps their gate shut for all. */
export const FIRST_BYTE_MS_MAX = 30_000;

/** From request written to the last byte of the answer; what came until then is kept, marked TIME. */
export const TOTAL_MS_MAX = 180_000;

/** An answer that comes slower than this over a whole window is given up: it holds a connection for almost nothing. */
export const THROUGHPUT_BYTES_PER_S_MIN = 512;

/** See THROUGHPUT_BYTES_PER_S_MIN; long enough for one lost packet's retransmissions. */
export const THROUGHPUT_WINDOW_MS = 20_000;

/** Status line and field lines of an answer, interim answers before it included, in bytes. Browsers take 256 KB. */
export const HEADER_BYTES_MAX = 65_536;

/** No body is read further than this, whatever the request asks for; the longest `max_body_bytes` (64 MiB). */
export const BODY_BYTES_MAX = 67_108_864;

/** How long a connection that waits for its next request is kept: servers close at 5 s and more, and resets cost a retry. */
export const KEEP_ALIVE_MS_MAX = 4_000;

/**
 * Added to delay and spacing, because the site judges at its own end of the wire: a request may travel faster than the
 * one before, and a close that we saw may be seen later there.
 */
export const PACE_MARGIN_MS = 25;

/** A lease counts as over this long before it is, so that its socket is closed when it ends (M1). */
export const LEASE_MARGIN_MS = 500;

/**
 * How long a Lease call waits for work. Much shorter than the 20 s allowed: a worker that ends waits for its call, and a
 * lease's time counts from before it (M4).
 */
export const LEASE_WAIT_MS = 2_000;

/** How long attempts are gathered before they are reported: one Complete serves all leases of a worker. */
export const REPORT_DELAY_MS = 200;

/** How long requests that run when the worker is told to end may go on; then they are aborted. */
export const DRAIN_MS_MAX = 10_000;

/** Bodies in memory at once, over all leases; each takes at most 256 KiB before it goes to a file. */
export const SPOOL_MEMORY_BYTES = 64 * 1_048_576;

/** Bodies in files at once, over all leases: twenty of the longest. */
export const SPOOL_FILE_BYTES = 20 * BODY_BYTES_MAX;

/** What bounds a fetch worker; times in milliseconds. Every field has a constant of its name beside it. */
export type FetchLimits = {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly totalMs: number;
  readonly throughputBytesPerS: number;
  readonly throughputWindowMs: number;
  readonly headerBytes: number;
  readonly bodyBytes: number;
  readonly keepAliveMs: number;
  readonly paceMarginMs: number;
  readonly leaseMarginMs: number;
  readonly leaseWaitMs: number;
  readonly reportDelayMs: number;
  readonly drainMs: number;
  readonly spoolMemoryBytes: number;
  readonly spoolFileBytes: number;
};

/** The limits in force where nothing else is said. */
export const DEFAULT_FETCH_LIMITS: FetchLimits = {
  connectMs: CONNECT_MS_MAX,
  firstByteMs: FIRST_BYTE_MS_MAX,
  totalMs: TOTAL_MS_MAX,
  throughputBytesPerS: THROUGHPUT_BYTES_PER_S_MIN,
  throughputWindowMs: THROUGHPUT_WINDOW_MS,
  headerBytes: HEADER_BYTES_MAX,
  bodyBytes: BODY_BYTES_MAX,
  keepAliveMs: KEEP_ALIVE_MS_MAX,
  paceMarginMs: PACE_MARGIN_MS,
  leaseMarginMs: LEASE_MARGIN_MS,
  leaseWaitMs: LEASE_WAIT_MS,
  reportDelayMs: REPORT_DELAY_MS,
  drainMs: DRAIN_MS_MAX,
  spoolMemoryBytes: SPOOL_MEMORY_BYTES,
  spoolFileBytes: SPOOL_FILE_BYTES,
};
