import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAddress, parseAddresses } from './parse-addresses.ts';

test('a list of URLs is read with their ports, IPv6 literals without brackets', () => {
  assert.deepEqual(parseAddresses('http://127.0.0.1:7070'), {
    secure: false,
    addresses: [{ host: '127.0.0.1', port: 7070 }],
  });
  assert.deepEqual(parseAddresses(' https://a.example , https://[2001:db8::1]:7443/,'), {
    secure: true,
    addresses: [
      { host: 'a.example', port: 443 },
      { host: '2001:db8::1', port: 7443 },
    ],
  });
  assert.deepEqual(parseAddresses('http://a.example').addresses, [{ host: 'a.example', port: 80 }]);
});

test('what is written can be read again', () => {
  for (const text of ['[::1]:7070', 'api-1.internal:80', '10.0.0.1:443']) {
    assert.equal(formatAddress(parseAddresses(`http://${text}`).addresses[0] ?? { host: '', port: 0 }), text);
  }
});

test('an address that is none is refused by name', () => {
  for (const [urls, text] of [
    ['', 'no API address'],
    [' , ', 'no API address'],
    ['127.0.0.1:7070', '"127.0.0.1:7070" is no API address'],
    ['ftp://a.example', '"ftp://a.example" is no API address'],
    ['http://a.example/v1', 'takes no path'],
    ['http://user:secret@a.example', 'http://a.example takes no path, query or user name'],
    ['http://a.example,https://b.example', 'can not be mixed'],
    [Array.from({ length: 65 }, (_, i) => `http://h${i}`).join(), 'more than 64'],
  ] as const) {
    assert.throws(
      () => parseAddresses(urls),
      (error) =>
        error instanceof TypeError && error.message.includes(text) && !error.message.includes('secret'),
      urls,
    );
  }
});
