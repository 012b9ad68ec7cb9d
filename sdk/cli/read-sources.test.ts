import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { collect } from '@decorum/test/support/sdk/collect.ts';
import { readSources } from './read-sources.ts';

const read = (sources: string[], stdin = '') => collect(readSources(sources, Readable.from([stdin])));

test('URLs stand for themselves, - for the lines of standard input, in order', async () => {
  const stdin =
    '\ufeffhttps://b.test/\r\n\n  # a comment\n  https://c.test/#x  \n{"url":"https://d.test/","band":6,"deadline":"2030-01-01T00:00:00Z","extract":["LINKS"]}';
  assert.deepEqual(await read(['https://a.test/', '-', 'HTTP://e.test'], stdin), [
    { url: 'https://a.test/' },
    { url: 'https://b.test/' },
    { url: 'https://c.test/#x' },
    { url: 'https://d.test/', band: 6, deadline: new Date('2030-01-01T00:00:00Z'), extract: ['LINKS'] },
    { url: 'HTTP://e.test' },
  ]);
});

test('what can not be read is named with its place', async () => {
  for (const [sources, stdin, text] of [
    [['a.test'], '', /"a\.test" is neither a URL nor a file/],
    [['/'], '', /neither a URL nor a file/],
    [['-'], 'https://a.test\n{"url":', /standard input, line 2: /],
    [['-'], '{"url":"u","colour":1}', /line 1: the option "colour" is not known/],
    [['-'], '{"band":1}', /line 1: "url" is missing/],
  ] as const) {
    await assert.rejects(
      read([...sources], stdin),
      (error) => error instanceof Error && text.test(error.message),
      String(text),
    );
  }
});
