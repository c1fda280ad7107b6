import { describe, expect, test } from 'vitest';
import { csvText, markdownCell } from '../../src/base/table-text.ts';
import { escapeXml } from '../../src/base/xml-text.ts';

describe('CSV', () => {
  test('quotes what RFC 4180 says, and ends lines with CRLF', () => {
    expect(
      csvText([
        ['a', 1.5, null],
        ['x,y', 'say "hi"', 'two\nlines'],
      ]),
    ).toBe('a,1.5,\r\n"x,y","say ""hi""","two\nlines"\r\n');
  });

  test.each([
    ['=HYPERLINK("http://evil.example")', `"'=HYPERLINK(""http://evil.example"")"`],
    ['+1+cmd', "'+1+cmd"],
    ["-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['-', "'-"],
    ['-3.5', '-3.5'],
    ['+1e-4', '+1e-4'],
    ['–', '–'],
  ])('keeps a spreadsheet from running %j', (text, cell) => {
    expect(csvText([[text]])).toBe(`${cell}\r\n`);
  });

  test('a negative number stays a number', () => {
    expect(csvText([[-0.25]])).toBe('-0.25\r\n');
  });
});

test.each([
  ['a|b', 'a\\|b'],
  ['a\\|b', 'a\\\\\\|b'],
  ['two\n lines', 'two lines'],
  ['<img src=x onerror=alert(1)>', '\\<img src=x onerror=alert(1)\\>'],
  ['![x](http://evil.example)', '\\!\\[x\\](http://evil.example)'],
])('a Markdown cell of %j is only text', (text, cell) => {
  expect(markdownCell(text)).toBe(cell);
});

test('SVG text holds no character that XML forbids', () => {
  expect(escapeXml('a\u0000\u001b<b>\uFFFE\uD800 & c')).toBe(
    'a\uFFFD\uFFFD&lt;b&gt;\uFFFD\uFFFD &amp; c',
  );
});
