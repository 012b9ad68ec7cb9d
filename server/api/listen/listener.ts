import type { NodeRequest, NodeResponse } from '../calls/create-rpc-server.ts';

/** Takes one request; must not throw. */
export type HandleRequest = (request: NodeRequest, response: NodeResponse) => void;

/** A server that listens. Disposing cuts every connection. */
export type Listener = AsyncDisposable & {
  /** `host:port` as bound. */
  readonly address: string;
  readonly connections: () => number;
  /**
   * Accepts nothing new, tells connected clients to go elsewhere and lets calls in flight end; resolves when the last
   * connection is closed. Once.
   */
  readonly drain: () => Promise<void>;
};
