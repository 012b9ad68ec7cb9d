import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHtmlContentType, parseContentType } from './parse-content-type.ts';

test('media type and charset are read in the spellings that servers send', () => {
  assert.deepEqual(parseContentType('Text/HTML;charset=UTF-8'), { mediaType: 'text/html', charset: 'utf-8' });
  assert.deepEqual(parseContentType('text/html ; a=b; Charset = "utf\\-8"; charset=x'), {
    mediaType: 'text/html',
    charset: 'utf-8',
  });
  assert.deepEqual(parseContentType('html; charset='), { mediaType: '', charset: '' });
  assert.deepEqual(parseContentType(''), { mediaType: '', charset: '' });
});

test('HTML and XHTML are HTML; nothing, and what contains it, are not', () => {
  assert.ok(isHtmlContentType('TEXT/html; charset=x'));
  assert.ok(isHtmlContentType('application/xhtml+xml'));
  for (const type of ['', 'text/plain', 'text/html2', 'application/xml', 'x; text/html']) {
    assert.ok(!isHtmlContentType(type), type);
  }
});
