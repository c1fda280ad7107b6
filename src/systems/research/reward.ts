import { blocksIn, count, defineRelease } from '../../agent/released.ts';
import { asReleased } from '../../learn/rewards/parts/as-released.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';

/*
 * ReSearch (arXiv 2503.19470; code: Agent-RL/ReCall, branch re-search, reward_score/re_search.py). Paper and code agree on
 * the values. An output in its own format is read by its rules (`release`), one in Forage's protocol by Forage's.
 * Difference: its code also gives 0 to an output that the limit of tokens ended. Forage asks for the answer at its limits,
 * so such an output is judged by what it then answered.
 */

/**
 * The format of ReSearch (Agent-RL/ReCall, branch re-search, reward_score/re_search.py), which Tool-Star and ARPO took
 * over: thoughts that are closed, one answer with a box, and a result after each search. A thought before each block, or
 * nothing between blocks, is not asked for.
 */

/** From the last `\boxed` to the brace that balances its first one; null where none does. */
function lastBox(text: string): string | null {
  const from = text.lastIndexOf(String.raw`\boxed{`);
  if (from < 0) return null;
  const start = text.indexOf('{', from);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return text.slice(start + 1, at);
  }
  return null;
}

const answersIn = (text: string): string | null => {
  const last = blocksIn(text, 'answer').at(-1);
  return last === undefined ? null : lastBox(last);
};

/** Whether `<search>`, `</search>`, `<result>` and `</result>` follow each other for each search. */
function answeredSearches(text: string): boolean {
  const order = ['<search>', '</search>', '<result>', '</result>'];
  for (let from = text.indexOf('<search>'); from >= 0;) {
    const places = order.map((tag) => text.indexOf(tag, from));
    if (places.some((place, i) => place < 0 || place < (places[i - 1] ?? 0))) return false;
    from = text.indexOf('<search>', places.at(-1));
  }
  return true;
}

export const release = defineRelease({
  dialects: ['research', 'tool-star'],
  answer: ({ text }) => answersIn(text),
  faults: ({ text }) => {
    const thoughts = count(text, '<think>');
    if (thoughts === 0) return ['there is no thought'];
    if (thoughts !== count(text, '</think>')) return ['a thought is not closed'];
    if (count(text, '<answer>') !== 1 || count(text, '</answer>') !== 1)
      return ['there is not exactly one answer'];
    if (!answeredSearches(text)) return ['a search has no result'];
    return answersIn(text) === null ? ['the answer holds no box'] : [];
  },
});

/** ReSearch: 0 where malformed, else F1, else 0.1 for the format. */
export const research = fixedReward({
  id: 'research',
  name: 'ReSearch',
  source: 'ReSearch, arXiv 2503.19470',
  formula: 'R = F1 if well-formed (0.1 if F1 is 0); 0 if malformed',
  range: [0, 1],
  clauses: asReleased(release, (facts) => [
    clause('answer', facts.formatValid ? facts.f1 : 0, facts.answer),
    clause('format', facts.formatValid && facts.f1 === 0 ? 0.1 : 0, facts.faults.flat()),
  ]),
});
