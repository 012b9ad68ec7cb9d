import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeHtml } from './decode-html.ts';
import { META_PRESCAN_BYTES, sniffCharset } from './sniff-charset.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

test('the byte order mark wins over the header, the header over a meta, the meta over the default', () => {
  const meta = '<meta charset=koi8-r>';
  assert.equal(sniffCharset(latin1(`\xef\xbb\xbf${meta}`), 'text/html; charset=shift_jis'), 'utf-8');
  assert.equal(sniffCharset(latin1('\xfe\xff'), 'text/html; charset=utf-8'), 'utf-16be');
  assert.equal(sniffCharset(latin1('\xff\xfe'), 'text/html'), 'utf-16le');
  assert.equal(sniffCharset(latin1(meta), 'text/html; charset="Shift_JIS"'), 'shift_jis');
  assert.equal(sniffCharset(latin1(meta), 'text/html'), 'koi8-r');
  assert.equal(sniffCharset(latin1('<p>'), ''), 'windows-1252');
});

test('labels that nobody knows are passed over', () => {
  assert.equal(sniffCharset(latin1('<meta charset=utf-8>'), 'text/html; charset=klingon'), 'utf-8');
  assert.equal(sniffCharset(latin1('<meta charset=klingon><meta charset=utf-8>'), ''), 'utf-8');
});

test('a meta declares in every spelling of the standard', () => {
  for (const meta of [
    '<META CharSet="utf-8">',
    "<meta charset='utf-8'/>",
    '<meta/charset=utf-8>',
    '<meta name=x content=y charset = utf-8 >',
    '<meta http-equiv="Content-Type" content="text/html; charset=utf-8">',
    '<meta content="charset=utf-8" http-equiv=content-type>',
    '<!-- <meta charset=koi8-r> --><meta charset=utf-8>',
    '<a title="<meta charset=koi8-r>"></a><meta charset=utf-8>',
    '<meta charset=utf-8 charset=koi8-r>',
  ]) {
    assert.equal(sniffCharset(latin1(meta), ''), 'utf-8', meta);
  }
});

test('what is no declaration declares nothing', () => {
  for (const text of [
    '<meta content="text/html; charset=utf-8">',
    '<metal charset=utf-8>',
    '<!-- <meta charset=utf-8>',
    '<meta name=charset content=utf-8>',
  ]) {
    assert.equal(sniffCharset(latin1(text), ''), 'windows-1252', text);
  }
});

test('a meta counts within the first 1,024 bytes only, and UTF-16 cannot be declared there', () => {
  const meta = '<meta charset=utf-8>';
  const at = (offset: number) => sniffCharset(latin1(`${' '.repeat(offset)}${meta}`), '');
  assert.equal(at(META_PRESCAN_BYTES - meta.length), 'utf-8');
  assert.equal(at(META_PRESCAN_BYTES), 'windows-1252');
  assert.equal(sniffCharset(latin1('<meta charset=utf-16>'), ''), 'utf-8');
});

test('bytes become text by what was found, and malformed ones become U+FFFD', () => {
  assert.equal(decodeHtml(Buffer.from('\ufeffé'), 'text/html'), 'é');
  assert.equal(decodeHtml(latin1('\xe9\x80'), 'text/html'), 'é€');
  assert.equal(decodeHtml(latin1('a\xe9'), 'text/html; charset=utf-8'), 'a\ufffd');
});
