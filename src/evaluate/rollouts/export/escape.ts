import { revealHidden } from '../reading/visible.ts';

/** Imported text is hostile: it enters a written file through one of these and no other way. */

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Text for HTML, as an element's content or inside a quoted attribute; hidden characters are shown. */
export const htmlText = (text: string): string =>
  revealHidden(text).replaceAll(/[&<>"'`]/g, (sign) => ENTITIES[sign] ?? sign);

/** Text for a line of Markdown: no image, link, HTML or markup can come of it. */
export const markdownText = (text: string): string =>
  revealHidden(text)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\`*_{}[\]<>()#+\-.!|~&:$@/]/g, String.raw`\$&`);

/** A block of text for Markdown, fenced by more backticks than stand together anywhere in it. */
export function markdownBlock(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${revealHidden(text).replaceAll('\r', '')}\n${fence}\n`;
}
