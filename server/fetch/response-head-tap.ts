/**
 * Reads along as the bytes of an answer arrive, ahead of the HTTP client, for what the client does not tell or do:
 *
 * - the head as it came, byte for byte, which is what the archive keeps;
 * - the moment of the first byte, and how many came, for our limits;
 * - a bound on the whole head: the client counts field lines only, an endless status line would fill memory;
 * - interim answers (1xx): the client takes a 100 for an attack. They are dropped here, 101 excepted (RFC 9110 §15.2).
 *
 * States of an exchange: deciding (too few bytes to know whether the answer is interim; they are held back), then interim
 * (held back until its end, then dropped, and deciding again) or final (handed on as they come, and copied until the
 * head's end), then body. Between exchanges nothing is looked at: bytes that nobody asked for are the client's to judge.
 */
import type { Socket } from 'node:net';
import { findHeadEnd } from '../archive/http-head.ts';

/** What an exchange wants to know about the bytes of its answer. */
export type HeadTapListener = {
  onFirstByte(): void;
  /** The whole head of the final answer, with its closing empty line. */
  onHead(head: Uint8Array): void;
  /** More head bytes came than the limit allows; nothing more is handed on. */
  onTooLarge(): void;
};

/** A tap on one socket. */
export type HeadTap = {
  /** Begins an exchange: the next bytes are its answer. */
  begin(listener: HeadTapListener): void;
  /** Bytes received since `begin`, as the HTTP client would see them. */
  readonly bytes: number;
};

const INTERIM = /^HTTP\/1\.[0-9] 1(?!01)[0-9][0-9]/;
const MAYBE_INTERIM = 'HTTP/1.x 1yz'.length;

type State = 'idle' | 'deciding' | 'interim' | 'final' | 'body' | 'overflown';

/** Puts a tap on a connected socket, for good. `headerBytesMax` bounds the head, interim answers included. */
export function tapResponseHead(socket: Socket, headerBytesMax: number): HeadTap {
  const handOn = socket.push.bind(socket);
  let listener: HeadTapListener | null = null;
  let state: State = 'idle';
  let held: Buffer = Buffer.alloc(0);
  let headerBytes = 0;
  let bytes = 0;

  /** Takes bytes while the head is not complete; answers those that the client gets. */
  function take(chunk: Buffer): Buffer | null {
    const searchFrom = Math.max(0, held.length - 3);
    held = Buffer.concat([held, chunk]);
    if (state === 'deciding') {
      const start = held.toString('latin1', 0, MAYBE_INTERIM);
      if (start.length < MAYBE_INTERIM && couldBeInterim(start)) return null;
      state = INTERIM.test(start) ? 'interim' : 'final';
      if (state === 'final') chunk = held;
    }
    const found = findHeadEnd(held.subarray(searchFrom));
    const end = found < 0 ? held.length : searchFrom + found;
    if (headerBytes + end > headerBytesMax) return overflow();
    if (found < 0) return state === 'final' ? chunk : null;
    return state === 'final' ? endHead(end, chunk) : endInterim(end);
  }

  function endHead(end: number, chunk: Buffer): Buffer {
    state = 'body';
    listener?.onHead(Buffer.from(held.subarray(0, end)));
    held = Buffer.alloc(0);
    return chunk;
  }

  function endInterim(end: number): Buffer | null {
    headerBytes += end;
    const rest = held.subarray(end);
    held = Buffer.alloc(0);
    state = 'deciding';
    return rest.length === 0 ? null : take(rest);
  }

  function overflow(): null {
    state = 'overflown';
    held = Buffer.alloc(0);
    listener?.onTooLarge();
    return null;
  }

  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
    if (state === 'idle' || chunk === null) return handOn(chunk, encoding);
    if (bytes === 0) listener?.onFirstByte();
    bytes += chunk.length;
    if (state === 'body') return handOn(chunk, encoding);
    const rest = state === 'overflown' ? null : take(chunk);
    return rest === null ? true : handOn(rest, encoding);
  };

  return {
    begin(next) {
      listener = next;
      state = 'deciding';
      held = Buffer.alloc(0);
      headerBytes = 0;
      bytes = 0;
    },
    get bytes() {
      return bytes;
    },
  };
}

function couldBeInterim(start: string): boolean {
  return INTERIM.test(start + 'HTTP/1.1 100'.slice(start.length));
}
