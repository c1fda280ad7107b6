import { blocksIn, count, type Output } from './output.ts';
import type { Release } from './release.ts';

/**
 * Search-R1's format (PeterGriffinJin/Search-R1, reward_score/qa_em_format.py): a thought; then any number of search,
 * information and thought; then the answer. Every tag is closed, and only white space stands between blocks.
 */

const TAGS = ['think', 'search', 'information', 'answer'] as const;
type Tag = (typeof TAGS)[number];

/** What may stand before each block. */
const AFTER: Readonly<Record<Tag, readonly (Tag | 'start')[]>> = {
  think: ['start', 'information'],
  search: ['think'],
  information: ['search'],
  answer: ['think'],
};

/** The first place where the order is broken; null where none is. */
function disorder(text: string): string | null {
  let [open, before] = [null as Tag | null, 'start' as Tag | 'start'];
  for (const part of text.split(/(<\/?(?:think|search|information|answer)>)/)) {
    const [, slash, name] = /^<(\/?)(\w+)>$/.exec(part) ?? [];
    const tag = TAGS.find((one) => one === name);
    if (tag === undefined) {
      if (open === null && part.trim() !== '') return 'text stands between blocks';
    } else if (slash === '/') {
      if (open !== tag) return `</${tag}> closes nothing`;
      [open, before] = [null, tag];
    } else {
      if (open !== null) return `<${tag}> stands inside <${open}>`;
      if (!AFTER[tag].includes(before))
        return before === 'start' ? `<${tag}> comes first` : `<${tag}> follows <${before}>`;
      open = tag;
    }
  }
  return before === 'answer' && open === null ? null : 'the output does not end with an answer';
}

export const searchR1: Release = {
  dialects: ['search-r1'],
  // qa_em.py, extract_solution: the last block; the prompt holds another, so that one is enough.
  answer: ({ text }: Output) => blocksIn(text, 'answer').at(-1) ?? null,
  faults: ({ text }) => {
    const uneven = TAGS.filter((tag) => count(text, `<${tag}>`) !== count(text, `</${tag}>`));
    if (uneven.length > 0) return uneven.map((tag) => `<${tag}> and </${tag}> differ in number`);
    const found = disorder(text);
    return found === null ? [] : [found];
  },
};
