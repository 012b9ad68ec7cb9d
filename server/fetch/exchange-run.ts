import assert from 'node:assert/strict';
import type { Dispatcher } from 'undici';
import type { Clock } from '../runtime/clock.ts';
import { createBodySink, type BodySink } from './body-sink.ts';
import { createExchangeTimers, type ExchangeTimers } from './exchange-timers.ts';
import type { ExchangeRequest } from './exchange.ts';
import { codeOf, FetchFailure, toFetchFailure } from './fetch-failure.ts';
import type { FetchLimits } from './fetch-limits.ts';
import { toFields, type Fields } from './fields.ts';
import type { PinnedConnector, PinnedSocket } from './pinned-connector.ts';

/** What an exchange runs on. */
export type ExchangeDeps = {
  readonly connector: PinnedConnector;
  readonly clock: Clock;
  readonly limits: FetchLimits;
  /** Throws the FetchFailure that says why the lease can be used no more (M4). */
  readonly checkLease: () => void;
};

/**
 * An exchange while it runs: the handler that the HTTP client calls, and what was seen so far. Times are on the monotonic
 * clock. Nothing here waits; `ended` resolves when the client is through with the request, well or not.
 */
export class ExchangeRun implements Dispatcher.DispatchHandler {
  readonly ended: Promise<void>;
  readonly sink: BodySink;
  /** Set when the request was handed to the socket. */
  written: { atMs: number; atWallMs: number; on: PinnedSocket; isReused: boolean } | null = null;
  firstByteAtMs: number | null = null;
  /** Of the final answer, as received. */
  head: Uint8Array | null = null;
  headAtMs: number | null = null;
  statusCode = 0;
  fields: Fields = [];
  /** The body went past its limit, and the rest was not waited for. */
  isCutByLength = false;
  lastByteAtMs: number | null = null;
  failure: FetchFailure | null = null;

  readonly #deps: ExchangeDeps;
  readonly #timers: ExchangeTimers;
  readonly #end: () => void;
  #controller: Dispatcher.DispatchController | null = null;
  #bytesBefore = { read: 0, written: 0 };

  constructor(deps: ExchangeDeps, request: Pick<ExchangeRequest, 'spool' | 'bodyBytesMax'>) {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.ended = promise;
    this.#end = () => resolve(undefined);
    this.#deps = deps;
    this.#timers = createExchangeTimers(
      deps.limits,
      () => this.written?.on.tap.bytes ?? 0,
      (failure) => this.abort(failure),
    );
    this.sink = createBodySink(request.spool, request.bodyBytesMax, {
      pause: () => this.#hold(),
      resume: () => this.#resume(),
      giveUp: (failure) => this.abort(failure),
    });
  }

  /** Ends the exchange, in whatever state it is: an attempt to connect too, and a request not yet written. */
  abort(failure: FetchFailure): void {
    this.failure ??= failure;
    if (this.#controller === null) this.#deps.connector.abort(failure);
    else this.#controller.abort(failure);
  }

  /** Bytes on the connection since the request was written, framing included. */
  transferred(): { received: number; sent: number } {
    const socket = this.written?.on.socket;
    if (socket === undefined) return { received: 0, sent: 0 };
    return {
      received: socket.bytesRead - this.#bytesBefore.read,
      sent: socket.bytesWritten - this.#bytesBefore.written,
    };
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.failure !== null) throw this.failure;
    this.#deps.checkLease();
    const on = this.#deps.connector.current;
    assert(on !== null, 'the client writes to a socket that it did not get from its connector');
    this.#controller = controller;
    this.#bytesBefore = on.isUsed
      ? { read: on.socket.bytesRead, written: on.socket.bytesWritten }
      : { read: 0, written: 0 };
    this.written = {
      atMs: this.#deps.clock.monotonicMs(),
      atWallMs: this.#deps.clock.wallMs(),
      on,
      isReused: on.isUsed,
    };
    on.isUsed = true;
    on.tap.begin({
      onFirstByte: () => this.#onFirstByte(),
      onHead: (head) => {
        this.head = head;
        this.headAtMs = this.#deps.clock.monotonicMs();
      },
      onTooLarge: () => this.abort(headTooLarge(this.#deps.limits)),
    });
    this.#timers.written();
  }

  onResponseStart(controller: Dispatcher.DispatchController, statusCode: number): void {
    // The tap lets one interim answer pass, 101, which is none to a request that asked for no upgrade.
    if (statusCode < 200) {
      this.abort(new FetchFailure('MALFORMED_ANSWER', `a final answer of ${statusCode}`));
      return;
    }
    this.statusCode = statusCode;
    this.fields = toFields(controller.rawHeaders as Uint8Array[]);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.sink.take(chunk)) return;
    this.isCutByLength = true;
    this.#controller?.abort(new Error('the body is longer than its limit'));
  }

  onResponseEnd(): void {
    this.#timers.stop();
    this.lastByteAtMs = this.#deps.clock.monotonicMs();
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#timers.stop();
    if (!this.isCutByLength) this.failure ??= this.#classify(error);
    this.#end();
  }

  #onFirstByte(): void {
    this.firstByteAtMs = this.#deps.clock.monotonicMs();
    this.#timers.firstByte();
  }

  /** The client says the same of a body that ends early and of a head that gives two lengths. */
  #classify(error: Error): FetchFailure {
    return codeOf(error) === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && this.statusCode === 0
      ? new FetchFailure('MALFORMED_ANSWER', 'the head contradicts itself about the length', error)
      : toFetchFailure(error);
  }

  #hold(): void {
    this.#timers.hold();
    this.#controller?.pause();
  }

  #resume(): void {
    this.#timers.resume();
    this.#controller?.resume();
  }
}

function headTooLarge({ headerBytes }: FetchLimits): FetchFailure {
  return new FetchFailure('HEAD_TOO_LARGE', `over ${headerBytes} bytes of head`);
}
