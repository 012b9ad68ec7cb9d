/**
 * Dials for the HTTP client of one lease: the lease's address and nothing else, one socket at a time.
 *
 * M5: the client resolves names and, given a literal, asks no look-up hook; so the address is taken from the lease, checked
 * here to be public, and compared with what the socket is connected to. SNI and certificate check stay with the name.
 * M1: a socket counts as open from dialling until its `close`; until then no other is dialled. M4: the lease's time is
 * checked before dialling and again once connected.
 */
import assert from 'node:assert/strict';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { isInBlocks, type AddressBlocks } from '@decorum/policy/address/address-blocks.ts';
import { decideAddress } from '@decorum/policy/address/decide-address.ts';
import { codeOf, FetchFailure } from './fetch-failure.ts';
import { tapResponseHead, type HeadTap } from './response-head-tap.ts';

/** Where a connector may dial, and how. */
export type PinnedTarget = {
  readonly scheme: 'http' | 'https';
  /** The name in SNI and certificate; an IP literal in brackets or not has none. */
  readonly host: string;
  readonly address: string;
  readonly port: number;
  /** Addresses taken for public, for tests on loopback. */
  readonly exemptAddresses: AddressBlocks;
  /** Why no public address may be dialled, if none may: nobody could tell who we are. Exempt ones may. */
  readonly publicRefusal?: string | undefined;
  /** Authorities instead of the machine's own, for tests. PEM. */
  readonly trustedCertificates?: readonly string[] | undefined;
  readonly connectMs: number;
  readonly headerBytes: number;
  /** Throws the FetchFailure that says why the lease can be used no more (M4). */
  readonly checkLease: () => void;
};

/** A connected socket with its tap. */
export type PinnedSocket = {
  readonly socket: Socket;
  readonly tap: HeadTap;
  /** A request was written to it. */
  isUsed: boolean;
};

/** The connector and the one socket it may have. */
export type PinnedConnector = {
  /** For the HTTP client. Its callback comes after the `close` of a socket that failed. */
  readonly connect: buildConnector.connector;
  /** The socket that was handed over last, open or not. */
  readonly current: PinnedSocket | null;
  /** Sockets dialled so far, also in vain. */
  readonly dials: number;
  /** Ends an attempt to connect that is running; without one nothing happens. */
  readonly abort: (failure: FetchFailure) => void;
  /** Resolves once no socket is open: at once, or at its `close`. */
  readonly closed: () => Promise<void>;
};

type Callback = buildConnector.Callback;

/** Makes a connector that has dialled nothing yet. */
export function createPinnedConnector(target: PinnedTarget): PinnedConnector {
  let current: PinnedSocket | null = null;
  let open: Promise<void> | null = null;
  let dials = 0;
  let abort: (failure: FetchFailure) => void = () => undefined;

  function dial(callback: Callback): void {
    assert.equal(open, null, 'M1: a socket is dialled before the last one closed');
    const socket = createSocket(target);
    dials += 1;
    open = new Promise((resolve) => {
      socket.once('close', () => {
        open = null;
        resolve();
      });
    });
    abort = watchAttempt(target, socket, (failure) => {
      abort = () => undefined;
      if (failure !== null) {
        callback(failure, null);
        return;
      }
      current = { socket, tap: tapResponseHead(socket, target.headerBytes), isUsed: false };
      callback(null, socket);
    });
  }

  return {
    connect(_options, callback) {
      try {
        checkAddress(target);
        target.checkLease();
      } catch (error) {
        callback(error as FetchFailure, null);
        return;
      }
      dial(callback);
    },
    get current() {
      return current;
    },
    get dials() {
      return dials;
    },
    abort: (failure) => abort(failure),
    closed: async () => {
      await open;
    },
  };
}

function checkAddress(target: PinnedTarget): void {
  if (isInBlocks(target.exemptAddresses, target.address)) return;
  if (target.publicRefusal !== undefined) throw new FetchFailure('ADDRESS_FORBIDDEN', target.publicRefusal);
  const decision = decideAddress(target.address);
  if (decision.kind === 'public') return;
  throw new FetchFailure('ADDRESS_FORBIDDEN', `the address is not public (${decision.reason})`);
}

function createSocket(target: PinnedTarget): Socket {
  const to = { host: target.address, port: target.port, autoSelectFamily: false, noDelay: true } as const;
  if (target.scheme === 'http') return connect(to);
  const name = target.host.replace(/^\[|\]$/g, '');
  return connectTls({
    ...to,
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
    ...(target.trustedCertificates === undefined ? {} : { ca: [...target.trustedCertificates] }),
  });
}

/**
 * Waits until the socket can be used, at most `connectMs`, and then calls `done` once: with null, or with why it cannot,
 * after its `close`. Answers a function that ends the attempt.
 */
function watchAttempt(
  target: PinnedTarget,
  socket: Socket,
  done: (failure: FetchFailure | null) => void,
): (failure: FetchFailure) => void {
  let failure: FetchFailure | null = null;
  let isConnected = false;
  const fail = (reason: FetchFailure): void => {
    failure ??= reason;
    socket.destroy();
  };
  const timer = setTimeout(() => fail(timeoutFailure(target, isConnected)), target.connectMs);
  const onReady = (): void => {
    try {
      checkPeer(target, socket);
      target.checkLease();
    } catch (error) {
      fail(error as FetchFailure);
      return;
    }
    stop();
    done(null);
  };
  const onError = (error: Error): void => {
    failure ??= connectFailure(target, isConnected, error);
  };
  const onClose = (): void => {
    stop();
    done(failure ?? connectFailure(target, isConnected, undefined));
  };
  const onConnect = (): void => {
    isConnected = true;
  };
  const stop = (): void => {
    clearTimeout(timer);
    socket.off('connect', onConnect).off('error', onError).off('close', onClose);
    socket.off(readyEvent, onReady);
    // Whoever gets the socket listens; in between no error may go unheard.
    socket.on('error', () => undefined);
  };
  const readyEvent = target.scheme === 'https' ? 'secureConnect' : 'connect';
  socket.on('connect', onConnect).on('error', onError).on('close', onClose).on(readyEvent, onReady);
  return fail;
}

/** M5: the socket is connected to the address that was checked, whatever became of the request to dial it. */
function checkPeer(target: PinnedTarget, socket: Socket): void {
  const peer = socket.remoteAddress;
  if (peer === target.address || (peer !== undefined && isSameAddress(peer, target.address))) return;
  throw new FetchFailure('ADDRESS_FORBIDDEN', 'the socket is connected to another address');
}

/** Two spellings of one IPv6 address. */
function isSameAddress(a: string, b: string): boolean {
  const canonical = (ip: string): string => (isIP(ip) === 6 ? new URL(`http://[${ip}]/`).hostname : ip);
  return canonical(a) === canonical(b);
}

function timeoutFailure(target: PinnedTarget, isConnected: boolean): FetchFailure {
  return isConnected
    ? new FetchFailure('TLS_ERROR', `no TLS handshake within ${target.connectMs} ms`)
    : new FetchFailure('CONNECT_TIMEOUT', `no connection within ${target.connectMs} ms`);
}

function connectFailure(target: PinnedTarget, isConnected: boolean, error: Error | undefined): FetchFailure {
  const code = codeOf(error);
  const because = code === '' ? '' : ` (${code})`;
  return isConnected && target.scheme === 'https'
    ? new FetchFailure('TLS_ERROR', `no TLS connection${because}`, error)
    : new FetchFailure('CONNECT_ERROR', `no connection${because}`, error);
}
