/** The transport's limits; `API_LIMITS` says why each is what it is. */
export type ApiLimits = typeof API_LIMITS;

/** Bounds on what a peer can make us hold, and for how long. */
export const API_LIMITS = {
  /** One message, either way, after decompression: Submit's 1,000 longest URLs and 10,000 long ones of CheckCompliance fit. */
  messageBytesMax: 32 * 1024 * 1024,
  /** All fields of a request's header; gRPC's customary 8 KiB, twice. */
  headerBytesMax: 16 * 1024,
  /** Per listener. */
  connectionsMax: 4_096,
  /** A worker's polls and a tenant's reads share few connections. */
  streamsPerConnectionMax: 256,
  /** What a stream may send before it is read: enough for one batch without waiting. */
  streamWindowBytes: 1024 * 1024,
  connectionWindowBytes: 8 * 1024 * 1024,
  /** Per HTTP/2 connection; above it new streams are refused. Node's 10 MB are less than one message. */
  connectionMemoryMb: 64,
  /** A unary call ends at the latest then, whatever deadline it asked for: longer than Lease's wait of 20 s. */
  callMsMax: 30_000,
  /** The same for streams: the largest body over a slow line. */
  streamMsMax: 600_000,
  /** A call that has not ended this long after its deadline is cut off with its stream. */
  overrunMs: 5_000,
  /** From connecting to a complete header (HTTP/1.1) or to the peer's settings (HTTP/2). */
  headersMs: 10_000,
  /** A connection without a call is closed then. */
  idleMs: 300_000,
  /** How often connections are looked at for the limits above and below. */
  sweepMs: 1_000,
  /** HTTP/2: a silent peer is asked whether it is there, and dropped when it does not answer. */
  pingAfterMs: 60_000,
  pingMs: 20_000,
  /** HTTP/2: then clients are sent to look for other nodes (GOAWAY); up to a tenth later, so that not all come at once. */
  connectionAgeMs: 1_800_000,
  /** How long a client may go on opening streams after the first GOAWAY: more than one round trip. */
  goawayMs: 250,
  /** Calls in flight may end at shutdown: longer than any unary call, so that none is lost. */
  drainMs: 35_000,
  /** What is left after `drainMs` is told to end, and cut off this much later. */
  abortMs: 1_000,
  /**
   * HTTP/2 streams that a peer may cancel at once, and per second. Node's 1,000 and 33 end a connection, with the calls of
   * others on it, when a worker or a proxy gives up a burst of polls.
   */
  resetBurst: 10_000,
  resetsPerSecond: 500,
};
