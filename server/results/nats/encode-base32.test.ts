import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeBase32 } from './encode-base32.ts';

test('the vectors of RFC 4648 §10, without padding', () => {
  const vectors = {
    '': '',
    f: 'MY',
    fo: 'MZXQ',
    foo: 'MZXW6',
    foob: 'MZXW6YQ',
    fooba: 'MZXW6YTB',
    foobar: 'MZXW6YTBOI',
  };
  for (const [text, encoded] of Object.entries(vectors))
    assert.equal(encodeBase32(Buffer.from(text)), encoded);
});
