/** Records of CSV (RFC 4180) and TSV. */

/** Fields of one record; null where quotes do not enclose a whole field. */
export function splitRecord(text: string, delimiter: string): string[] | null {
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    if (text[at] === '"') {
      const end = closingQuote(text, at + 1);
      if (end === -1) return null;
      fields.push(text.slice(at + 1, end).replaceAll('""', '"'));
      at = end + 1;
      if (at < text.length && text[at] !== delimiter) return null;
    } else {
      const end = text.indexOf(delimiter, at);
      fields.push(text.slice(at, end === -1 ? text.length : end));
      at = end === -1 ? text.length : end;
    }
    if (at >= text.length) return fields;
    at++;
  }
}

/** Where the field that starts after an opening quote closes; −1 where it does not. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return -1;
}

const DELIMITERS = ['\t', ','] as const;

/** How a name of a column may be written: not as a sentence is. */
const NAME = /^[^"\n]{1,64}$/u;

export interface TableHeader {
  delimiter: '\t' | ',';
  names: string[];
  /** Whether the lines after it have its number of fields, and there are such lines. */
  regular: boolean;
}

/** The names in the first line of a text that may be a table; null where that has no two of them. */
export function tableHeader(text: string): TableHeader | null {
  const lines = text.replace(/^[\uFEFF\r\n]+/u, '').split(/\r?\n/u, 20);
  const [line = '', ...rest] = lines.filter((one) => one.trim() !== '');
  for (const delimiter of DELIMITERS) {
    const names = (splitRecord(line, delimiter) ?? []).map((name) => name.trim());
    // pandas writes its index first, without a name.
    const named = names[0] === '' ? names.slice(1) : names;
    if (names.length < 2 || !named.every((name) => NAME.test(name))) continue;
    const regular =
      rest.length > 0 && rest.every((one) => splitRecord(one, delimiter)?.length === names.length);
    return { delimiter, names, regular };
  }
  return null;
}
