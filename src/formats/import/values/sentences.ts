/** Words before a full stop that do not end a sentence. */
const ABBREVIATION =
  /(?:^|[\s("'“‘[])(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|Lt|Col|Gen|Sgt|Capt|Rev|Hon|Gov|Sen|Rep|No|vs|etc|al|cf|ca|approx|dept|est|fig|Fig|vol|Vol|pp|Inc|Ltd|Co|Corp|e\.g|i\.e|U\.S|U\.K|a\.m|p\.m|\p{Lu})\.$/u;
const END = /[.!?…]["'”’)\]]*\s+(?=["'“‘([]?[\p{Lu}\p{N}])|[。！？]["”’」』）]*\s*/gu;

/** Runs of white space become one space; none at the ends. */
export const normaliseSpace = (text: string): string => text.replace(/\s+/gu, ' ').trim();

/**
 * Sentences of running text. A sentence ends at `. ! ? …` before a capital or digit, unless the stop
 * belongs to a common abbreviation or an initial, and at the full stops of Chinese and Japanese.
 * Deterministic on every platform, unlike `Intl.Segmenter`. Joined by spaces they give the
 * space-normalised text, except for scripts that write no space between sentences.
 */
export function splitSentences(text: string): string[] {
  const clean = normaliseSpace(text);
  const found: string[] = [];
  let start = 0;
  for (const match of clean.matchAll(END)) {
    const end = match.index + match[0].length;
    const sentence = clean.slice(start, end).trim();
    if (ABBREVIATION.test(sentence.slice(-12))) continue;
    if (sentence !== '') found.push(sentence);
    start = end;
  }
  const rest = clean.slice(start).trim();
  return rest === '' ? found : [...found, rest];
}
