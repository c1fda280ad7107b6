import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapeXml } from '../../../../../src/base/xml-text.ts';

/** What an XML reader makes of escaped text. */
const SIGNS: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const read = (text: string): string =>
  text.replaceAll(/&([^;]+);/g, (whole, name: string) => SIGNS[name] ?? whole);

/** XML 1.0, production 2: what a document may hold. */
const isChar = (sign: string): boolean => {
  const code = sign.codePointAt(0) ?? 0;
  return (
    [0x9, 0xa, 0xd].includes(code) ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    code >= 0x10000
  );
};

it('text in a picture closes no element and no attribute', () => {
  expect(escapeXml(`<script a="b" c='d'>&amp;</script>`)).toBe(
    '&lt;script a=&quot;b&quot; c=&#39;d&#39;&gt;&amp;amp;&lt;/script&gt;',
  );
});

it('text in a picture is read as it was, but for characters that no XML holds', () => {
  expect(escapeXml('a\u0000b\u001Bc\uD800d\uFFFF')).toBe('a�b�c�d�');
  expect(escapeXml('𝛽 🐚\t\n')).toBe('𝛽 🐚\t\n');
  const unit = fc.oneof(fc.constantFrom('&', '<', '>', '"', "'", '\u0007', '\uDC00'), fc.string());
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 20 }), (parts) => {
      const text = parts.join('');
      const escaped = escapeXml(text);
      expect(escaped).not.toMatch(/[<>"']/);
      expect(Array.from(escaped).filter((sign) => !isChar(sign))).toEqual([]);
      expect(read(escaped)).toBe(
        Array.from(text, (sign) => (isChar(sign) ? sign : '\u{FFFD}')).join(''),
      );
    }),
  );
});
