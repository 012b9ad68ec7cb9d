// One call over a grpc-js channel, as plain functions over promises.
//
// States: started, responded (headers came, or the status did), ended (the status came). Messages are asked for one at a
// time, so that a slow reader holds the sender back through HTTP/2 flow control. The status always ends the call, also
// one that was cancelled; whoever waits for a message or for room to send is then released.
import { ConnectError } from '@connectrpc/connect';
import type { Channel, Metadata, StatusObject } from '@grpc/grpc-js';
import { status as Status } from '@grpc/grpc-js';
import { appendMetadata } from './header-metadata.ts';

/** What starts a call. */
export type CallOptions = {
  readonly channel: Channel;
  /** As in "/decorum.crawl.v1.CrawlService/Submit". */
  readonly path: string;
  /** Wall-clock milliseconds; `Infinity` for none. */
  readonly deadlineAt: number;
  readonly metadata: Metadata;
  readonly signal: AbortSignal;
  /** Makes the error that `respond` and `read` throw. */
  readonly toError: (status: StatusObject, metadata: Headers) => ConnectError;
  /** Called once, when the status came. */
  readonly onEnd: () => void;
};

/** A call under way. */
export type ActiveCall = {
  /** Filled when `respond` is fulfilled. */
  readonly header: Headers;
  /** Filled when `read` has answered `undefined`. */
  readonly trailer: Headers;
  /** Fulfilled with the first headers; throws when the call failed before any. */
  respond(): Promise<void>;
  /** The next message, or `undefined` after the last. Throws when the call failed. One read at a time. */
  read(): Promise<Uint8Array | undefined>;
  /** Sends a message; fulfilled when there is room for the next, or the call has ended. One send at a time. */
  send(message: Uint8Array): Promise<void>;
  /** No more messages will be sent. */
  finishSending(): void;
  /** Ends the call; `respond` and `read` then throw `reason`. */
  cancel(reason: unknown): void;
};

/** Starts a call. Aborting the signal cancels it. */
export function startCall(options: CallOptions): ActiveCall {
  return new GrpcCall(options);
}

class GrpcCall implements ActiveCall {
  readonly header = new Headers();
  readonly trailer = new Headers();
  readonly #call: ReturnType<Channel['createCall']>;
  readonly #toError: CallOptions['toError'];
  readonly #responded = Promise.withResolvers<undefined>();
  readonly #ended = Promise.withResolvers<undefined>();
  #arrived = Promise.withResolvers<undefined>();
  #message: Uint8Array | undefined;
  #status: StatusObject | undefined;
  #cancelled: { readonly reason: unknown } | undefined;

  constructor({ channel, path, deadlineAt, metadata, signal, toError, onEnd }: CallOptions) {
    this.#call = channel.createCall(path, deadlineAt, null, null, null);
    this.#toError = toError;
    const abort = () => this.#abort();
    this.#call.start(metadata, {
      onReceiveMetadata: (received) => {
        appendMetadata(this.header, received);
        this.#responded.resolve(undefined);
      },
      onReceiveMessage: (received: Uint8Array) => {
        this.#message = received;
        this.#arrived.resolve(undefined);
      },
      onReceiveStatus: (received) => {
        signal.removeEventListener('abort', abort);
        this.#end(received);
        onEnd();
      },
    });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  }

  async respond(): Promise<void> {
    await this.#responded.promise;
    this.#throwFailure();
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#message === undefined && this.#status === undefined) {
      this.#arrived = Promise.withResolvers();
      this.#call.startRead();
      await this.#arrived.promise;
    }
    const message = this.#message;
    this.#message = undefined;
    if (message === undefined) this.#throwFailure();
    return message;
  }

  async send(message: Uint8Array): Promise<void> {
    if (this.#status !== undefined) return;
    const written = Promise.withResolvers<undefined>();
    const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
    this.#call.sendMessageWithContext({ callback: () => written.resolve(undefined) }, bytes);
    await Promise.race([written.promise, this.#ended.promise]);
  }

  finishSending(): void {
    if (this.#status === undefined) this.#call.halfClose();
  }

  cancel(reason: unknown): void {
    this.#cancelled ??= { reason };
    this.#abort();
  }

  #abort(): void {
    this.#call.cancelWithStatus(Status.CANCELLED, 'cancelled by the caller');
  }

  #end(status: StatusObject): void {
    this.#status = status;
    appendMetadata(this.trailer, status.metadata);
    this.#responded.resolve(undefined);
    this.#arrived.resolve(undefined);
    this.#ended.resolve(undefined);
  }

  #throwFailure(): void {
    if (this.#cancelled !== undefined) throw ConnectError.from(this.#cancelled.reason);
    if (this.#status === undefined || this.#status.code === Status.OK) return;
    throw this.#toError(this.#status, new Headers([...this.header, ...this.trailer]));
  }
}
