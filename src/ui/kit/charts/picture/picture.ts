/** A picture as the text of an SVG file, in CSS pixels. */
export interface Picture {
  svg: string;
  width: number;
  height: number;
}

const SIGNS: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that no XML document may hold, whatever stands for them. */
// oxlint-disable-next-line no-control-regex -- these are what is meant
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu;

/** Text that may stand in an element or an attribute. */
export const escapeXml = (text: string): string =>
  text.replaceAll(FORBIDDEN, '\u{FFFD}').replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);
