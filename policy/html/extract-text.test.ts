import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractText, TEXT_CHARACTERS_MAX, TITLE_CHARACTERS_MAX } from './extract-text.ts';

function textOf(html: string, charactersMax?: number): ReturnType<typeof extractText> {
  return extractText({ bytes: Buffer.from(html), contentType: 'text/html; charset=utf-8' }, charactersMax);
}

test('text comes a line per block, with white space collapsed and entities decoded once', () => {
  const html =
    '<html lang=" de-CH "><head><title> A\n &amp;amp; B </title></head><body> <h1>One  <b>t</b>wo</h1>\n' +
    '<p>&lt;p&gt; a&nbsp;b<br>next</p><ul><li>x<li>y</ul><table><tr><td>1</td><td>2</td></tr></table></body></html>';
  assert.deepEqual(textOf(html), {
    title: 'A &amp; B',
    language: 'de-CH',
    text: 'One two\n<p> a\u00a0b\nnext\nx\ny\n1 2',
    truncated: false,
  });
});

test('what nobody sees is left out, and what a reader without scripts sees is kept', () => {
  const html =
    'a<script>1</script><style>2</style><template>3<template>4</template>5</template><textarea>6</textarea>' +
    '<iframe>7</iframe><!-- 8 --><noscript>b</noscript><svg><title/><text>c</text></svg>d';
  assert.equal(textOf(html).text, 'a bcd');
});

test('the first title counts, also without an end', () => {
  assert.equal(textOf('<title>One</title><title>Two</title>').title, 'One');
  assert.equal(textOf('<title>One').title, 'One');
  assert.equal(textOf('<p>no title').title, '');
  assert.equal(textOf(`<title>${'t'.repeat(5000)}</title>`).title.length, TITLE_CHARACTERS_MAX);
});

test('text is cut at its bound and says so', () => {
  assert.deepEqual(
    { ...textOf('<p>abc<p>def', 5), language: '', title: '' },
    {
      title: '',
      language: '',
      text: 'abc\nd',
      truncated: true,
    },
  );
  assert.equal(textOf('<p>abc<p>def', 7).truncated, false);
  const long = textOf('<p>word</p>'.repeat(TEXT_CHARACTERS_MAX / 4));
  assert.equal(long.text.length, TEXT_CHARACTERS_MAX);
  assert.ok(long.truncated);
});

test('blanks without end and elements without end are read to the end', () => {
  const html = `${'<div><i>'.repeat(100_000)}a${' \n'.repeat(500_000)}b${'<p></p>'.repeat(100_000)}c`;
  assert.equal(textOf(html).text, 'a b\nc');
});
