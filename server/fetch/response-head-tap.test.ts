import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { tapResponseHead } from './response-head-tap.ts';

type Seen = { handedOn: string; heads: string[]; firstBytes: number; tooLarge: number };

/** Pushes an answer into a tapped socket, piece by piece. */
function feed(pieces: readonly string[], headerBytesMax = 65_536): Seen {
  const seen: Seen = { handedOn: '', heads: [], firstBytes: 0, tooLarge: 0 };
  const socket = new Socket();
  socket.push = (chunk: Buffer | null) => {
    seen.handedOn += chunk?.toString('latin1') ?? '<end>';
    return true;
  };
  tapResponseHead(socket, headerBytesMax).begin({
    onFirstByte: () => void (seen.firstBytes += 1),
    onHead: (head) => void seen.heads.push(Buffer.from(head).toString('latin1')),
    onTooLarge: () => void (seen.tooLarge += 1),
  });
  for (const piece of pieces) socket.push(Buffer.from(piece, 'latin1'));
  return seen;
}

function cut(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...ends].map((start, at) => text.slice(start, [...ends, text.length][at])).filter(Boolean);
}

const HEAD = 'HTTP/1.1 200 Fine\r\nX: 1\r\nX:  2\r\n\r\n';
const INTERIM = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 103 Hints\r\nLink: </a>\r\n\r\n';

test('in whatever pieces an answer comes, the head is seen as sent and interim answers are not handed on', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('', INTERIM, INTERIM.repeat(3)),
      fc.constantFrom('', 'body', 'HTTP/1.1 100 Continue\r\n\r\n'),
      fc.array(fc.nat(500), { maxLength: 12 }),
      (interim, body, places) => {
        const seen = feed(cut(interim + HEAD + body, places));
        assert.deepEqual(seen, { handedOn: HEAD + body, heads: [HEAD], firstBytes: 1, tooLarge: 0 });
      },
    ),
  );
});

test('what is no interim answer is handed on as it comes, however short', () => {
  assert.equal(feed(['S', 'SH-2.0']).handedOn, 'SSH-2.0');
  assert.equal(feed(['HTTP/1.1 2']).handedOn, 'HTTP/1.1 2');
  assert.equal(feed(['HTTP/1.1 101 Switching\r\n\r\n']).handedOn, 'HTTP/1.1 101 Switching\r\n\r\n');
  assert.equal(feed(['HTTP/2']).handedOn, 'HTTP/2');
  assert.equal(feed(['HTTP/1.1 1']).handedOn, '', 'this may become an interim answer');
});

test('a head may have lines without CR', () => {
  assert.deepEqual(feed(['HTTP/1.1 200 OK\nX: 1\n', '\nbody']).heads, ['HTTP/1.1 200 OK\nX: 1\n\n']);
});

test('a head over the bound is told once, and nothing of it after that is handed on', () => {
  const fits = feed([HEAD], HEAD.length);
  assert.equal(fits.tooLarge, 0);
  const over = feed([HEAD, 'body'], HEAD.length - 1);
  assert.equal(over.tooLarge, 1);
  assert.equal(over.handedOn, '');
  const endless = feed(
    Array.from({ length: 100 }, () => 'x'.repeat(100)),
    1000,
  );
  assert.equal(endless.tooLarge, 1);
  assert.ok(endless.handedOn.length <= 1000);
  const interim = feed([INTERIM.repeat(10), HEAD], INTERIM.length * 10 + HEAD.length - 1);
  assert.equal(interim.tooLarge, 1);
});

test('the end is handed on, and each exchange has a head of its own', () => {
  const heads: number[] = [];
  const socket = new Socket();
  let ended = false;
  socket.push = (chunk: Buffer | null) => {
    ended ||= chunk === null;
    return true;
  };
  const tap = tapResponseHead(socket, 1000);
  const listener = {
    onFirstByte: () => undefined,
    onHead: (head: Uint8Array) => void heads.push(head.length),
    onTooLarge: () => undefined,
  };
  for (const body of ['one', 'three']) {
    tap.begin(listener);
    socket.push(Buffer.from(HEAD + body));
    assert.equal(tap.bytes, HEAD.length + body.length);
  }
  socket.push(null);
  assert.deepEqual(heads, [HEAD.length, HEAD.length]);
  assert.ok(ended);
});
