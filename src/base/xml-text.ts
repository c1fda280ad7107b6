const SIGNS: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that an XML document must not hold, even escaped. */
// oxlint-disable-next-line no-control-regex -- these are what is meant
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu;

/** Text for an element or an attribute of an SVG file; forbidden characters become U+FFFD. */
export const escapeXml = (text: string): string =>
  text.replaceAll(FORBIDDEN, '\u{FFFD}').replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);
