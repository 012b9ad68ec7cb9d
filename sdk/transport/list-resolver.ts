// Gives one grpc-js channel several host names.
//
// grpc-js resolves one DNS name or a list of IP literals per channel, and a channel is where round robin, retries on
// another node and reconnecting happen. This resolver turns a list of names and literals into one list of endpoints, so
// that all of that works over the whole list. A name that can't be resolved keeps the addresses it had last; only when
// nothing at all is known is the channel told that resolution failed, and the look-up is repeated.
import { lookup } from 'node:dns/promises';
import { Metadata, status, experimental } from '@grpc/grpc-js';
import type { Address } from './parse-addresses.ts';
import { formatAddress } from './parse-addresses.ts';

const SCHEME = 'decorum';
/** Names are looked up again at most this often; grpc-js asks each time that a connection is lost. */
const LOOKUP_INTERVAL_MS = 5_000;
const LOOKUP_RETRY_MS = 1_000;

/** The target of a channel that connects to all of `addresses`. Registers the resolver with grpc-js on first use. */
export function listTarget(addresses: readonly Address[]): string {
  experimental.registerResolver(SCHEME, ListResolver);
  return `${SCHEME}:${addresses.map(formatAddress).join(',')}`;
}

class ListResolver implements experimental.Resolver {
  readonly #names: readonly Address[];
  readonly #listener: experimental.ResolverListener;
  readonly #known = new Map<string, readonly Address[]>();
  #timer: NodeJS.Timeout | undefined;
  #lookedUpAt = Number.NEGATIVE_INFINITY;
  #pass = 0;
  #published = '';
  #running = false;

  constructor(target: experimental.GrpcUri, listener: experimental.ResolverListener) {
    this.#names = splitTarget(target);
    this.#listener = listener;
  }

  static getDefaultAuthority(target: experimental.GrpcUri): string {
    return target.path.split(',', 1)[0] ?? target.path;
  }

  updateResolution(): void {
    if (this.#running || this.#timer !== undefined) return;
    const waitMs = this.#lookedUpAt + LOOKUP_INTERVAL_MS - performance.now();
    if (waitMs > 0) this.#lookUpIn(waitMs);
    else void this.#lookUp();
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running = false;
    this.#lookedUpAt = Number.NEGATIVE_INFINITY;
    this.#pass += 1;
  }

  #lookUpIn(waitMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#lookUp();
    }, waitMs);
    // A call that waits holds the process open by itself.
    this.#timer.unref();
  }

  async #lookUp(): Promise<void> {
    this.#running = true;
    const pass = this.#pass;
    this.#published = '';
    const errors = (await Promise.all(this.#names.map((name) => this.#lookUpName(name, pass)))).filter(
      (error) => error !== undefined,
    );
    if (pass !== this.#pass) return;
    this.#running = false;
    this.#lookedUpAt = performance.now();
    if (this.#known.size === 0) this.#fail(errors);
    else this.#publish();
    if (errors.length > 0) this.#lookUpIn(LOOKUP_RETRY_MS);
  }

  /** Publishes what it finds at once: a name that is slow to resolve holds up no other. */
  async #lookUpName({ host, port }: Address, pass: number): Promise<string | undefined> {
    try {
      const found = await lookup(host, { all: true });
      if (pass !== this.#pass) return undefined;
      this.#known.set(
        host,
        found.map(({ address }) => ({ host: address, port })),
      );
      this.#publish();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #publish(): void {
    const endpoints = this.#endpoints();
    const list = [...endpoints.keys()].join(',');
    if (list === this.#published) return;
    this.#published = list;
    const groups = [...endpoints.values()].map((address) => ({ addresses: [address] }));
    this.#listener(experimental.statusOrFromValue(groups), {}, null, '');
  }

  #fail(errors: readonly string[]): void {
    const details = `no API address could be resolved: ${errors.join('; ')}`;
    const error = { code: status.UNAVAILABLE, details, metadata: new Metadata() };
    this.#listener(experimental.statusOrFromError(error), {}, null, details);
  }

  #endpoints(): Map<string, Address> {
    const endpoints = new Map<string, Address>();
    for (const { host, port } of this.#names) {
      for (const known of this.#known.get(host) ?? []) {
        const address = { host: known.host, port };
        endpoints.set(formatAddress(address), address);
      }
    }
    return endpoints;
  }
}

function splitTarget(target: experimental.GrpcUri): Address[] {
  return target.path.split(',').map((part) => {
    const split = experimental.splitHostPort(part);
    if (split?.port === undefined) throw new TypeError(`"${part}" is no host:port`);
    return { host: split.host, port: split.port };
  });
}
