import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  HEAD_CHARACTERS_MAX,
  HEAD_STATEMENTS_MAX,
  readHeadStatements,
  STATEMENT_CHARACTERS_MAX,
} from './read-head-statements.ts';

const NAMES = ['robots', 'tdm-*'];

test('statements come by name, in order, with entities decoded', () => {
  const html =
    '<!doctype html><html><head><meta charset=utf-8><META NAME=" Robots " CONTENT="noindex, &quot;x&quot;">' +
    '<title>t</title><meta name=viewport content=x><meta name=tdm-reservation content=1><meta content=all name=robots>';
  assert.deepEqual(readHeadStatements(html, NAMES), [
    { name: 'robots', content: 'noindex, "x"' },
    { name: 'tdm-reservation', content: '1' },
    { name: 'robots', content: 'all' },
  ]);
});

test('reading ends where the head ends: at its end tag, or at anything that belongs to the body', () => {
  const meta = '<meta name=robots content=noindex>';
  assert.deepEqual(readHeadStatements(`<head></head>${meta}`, NAMES), []);
  assert.deepEqual(readHeadStatements(`<body>${meta}`, NAMES), []);
  assert.deepEqual(readHeadStatements(`<p>${meta}`, NAMES), []);
  assert.equal(
    readHeadStatements(`<script>"<p>"</script><noscript><link></noscript>${meta}`, NAMES).length,
    1,
  );
});

test('text that only looks like a statement is none', () => {
  const meta = '<meta name=robots content=noindex>';
  assert.deepEqual(
    readHeadStatements(`<!-- ${meta} --><title>${meta}</title><script>${meta}</script>`, NAMES),
    [],
  );
  assert.deepEqual(
    readHeadStatements('<meta name=robots-x content=1><meta property=robots content=1>', NAMES),
    [],
  );
  assert.deepEqual(readHeadStatements('<meta name=robots>', NAMES), [{ name: 'robots', content: '' }]);
});

test('a head without end is read up to its bound, and no more than so many statements of so many characters', () => {
  const meta = '<meta name=robots content=noindex>';
  const fill = (length: number) => `<!--${'x'.repeat(length - 7)}-->`;
  assert.equal(readHeadStatements(fill(HEAD_CHARACTERS_MAX - meta.length) + meta, NAMES).length, 1);
  assert.deepEqual(readHeadStatements(fill(HEAD_CHARACTERS_MAX) + meta, NAMES), []);
  assert.equal(readHeadStatements(meta.repeat(HEAD_STATEMENTS_MAX + 1), NAMES).length, HEAD_STATEMENTS_MAX);
  const [long] = readHeadStatements(`<meta name=robots content="${'x'.repeat(5000)}">`, NAMES);
  assert.equal(long?.content.length, STATEMENT_CHARACTERS_MAX);
});
