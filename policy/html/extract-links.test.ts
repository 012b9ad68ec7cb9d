import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractLinks, LINKS_MAX, REFERENCE_CHARACTERS_MAX } from './extract-links.ts';

const URL_OF_PAGE = 'http://h.test/dir/page?q';

function linksOf(html: string, linksMax?: number): string[] {
  const document = { bytes: Buffer.from(html), contentType: 'text/html; charset=utf-8', url: URL_OF_PAGE };
  return extractLinks(document, linksMax).links;
}

test('links are absolute, canonical, in document order, each once', () => {
  const html =
    '<a href="../b#x">1</a><A HREF=\'c?d=%7e\'>2</A><area href=//e.test><a href=" http://h.test/b ">3</a>' +
    '<frame src=f.html><a href="#top">4</a><a href="">5</a>';
  assert.deepEqual(linksOf(html), [
    'http://h.test/b',
    'http://h.test/dir/c?d=~',
    'http://e.test/',
    'http://h.test/dir/f.html',
    'http://h.test/dir/page?q',
  ]);
});

test('the first base with an href counts for all links, before it and after it', () => {
  const html = '<a href=a></a><base target=x><base href=/base/><base href=/other/><a href=b></a>';
  assert.deepEqual(linksOf(html), ['http://h.test/base/a', 'http://h.test/base/b']);
  assert.deepEqual(linksOf('<base href="data:text/plain,x"><a href=a></a>'), ['http://h.test/dir/a']);
  assert.deepEqual(linksOf('<base href="http://o.test:bad/"><a href=a></a>'), ['http://h.test/dir/a']);
});

test('entities are decoded once', () => {
  assert.deepEqual(linksOf('<a href="/?a=1&amp;b=2&copy=3&amp;amp;d"></a>'), [
    'http://h.test/?a=1&b=2&copy=3&amp;d',
  ]);
});

test('what cannot be fetched is no link, and rel is not looked at', () => {
  const html =
    '<a href="mailto:a@h.test"></a><a href="javascript:x()"></a><a href="http://h.test:25/"></a><a href="http://[">' +
    `</a><a name=x></a><a href="/${'a'.repeat(REFERENCE_CHARACTERS_MAX)}"></a><link href=/l><a rel=nofollow href=/n></a>`;
  assert.deepEqual(linksOf(html), ['http://h.test/n']);
});

test('text that only looks like a link is none', () => {
  const html =
    '<!-- <a href=/1> --><script>"<a href=/2>"</script><style><a href=/3></style><title><a href=/4></title>' +
    '<textarea><a href=/5></textarea><iframe><a href=/6></iframe><svg><script/><a href=/7></a></svg>' +
    '<noscript><a href=/8></a></noscript><a title="<a href=/9>" href=/10>';
  assert.deepEqual(linksOf(html), ['http://h.test/7', 'http://h.test/8', 'http://h.test/10']);
});

test('links beyond the bound are left out and the answer says so', () => {
  const html = Array.from({ length: LINKS_MAX + 1 }, (_, at) => `<a href=/${at}></a>`).join('');
  const document = { bytes: Buffer.from(html), contentType: 'text/html', url: URL_OF_PAGE };
  const all = extractLinks(document);
  assert.equal(all.links.length, LINKS_MAX);
  assert.ok(all.truncated);
  assert.deepEqual(extractLinks(document, 3), {
    links: ['http://h.test/0', 'http://h.test/1', 'http://h.test/2'],
    truncated: true,
  });
  const few = {
    ...document,
    bytes: Buffer.from('<a href=/1></a><a href=/2></a><a href=/1#x></a><a href=/2></a>'),
  };
  assert.deepEqual(extractLinks(few, 2), { links: ['http://h.test/1', 'http://h.test/2'], truncated: false });
});

test('a hundred thousand open elements and attributes are read to the end', () => {
  const deep = `${'<div><b><table>'.repeat(100_000)}<a href=/deep></a>`;
  const wide = `<a ${Array.from({ length: 100_000 }, (_, at) => `a${at}=1`).join(' ')} href=/wide></a>`;
  assert.deepEqual(linksOf(deep + wide), ['http://h.test/deep', 'http://h.test/wide']);
});

test('the bytes are read in their own encoding', () => {
  const bytes = Buffer.from('<a href="/\xe9?\xe9"></a>', 'latin1');
  assert.deepEqual(
    extractLinks({ bytes, contentType: 'text/html; charset=iso-8859-1', url: URL_OF_PAGE }).links,
    ['http://h.test/%C3%A9?%C3%A9'],
  );
});
