import type { Passage } from './records.ts';

/**
 * The KunLunBaizeRAG protocol (arXiv 2506.19466, section 2) as text and tokens. Tags are single
 * special tokens of the built-in policy. Order matters: it is the order of their ids in the
 * tokenizer trained here.
 */
export const SPECIAL_TOKENS = [
  '<|endoftext|>',
  '<|pad|>',
  '<background>',
  '</background>',
  '<question>',
  '</question>',
  '<think>',
  '</think>',
  '<search>',
  '</search>',
  '<local_search>',
  '</local_search>',
  '<web_search>',
  '</web_search>',
  '<result>',
  '</result>',
  '<hint>',
  '</hint>',
  '<short_answer>',
  '</short_answer>',
  '<long_answer>',
  '</long_answer>',
] as const;

/**
 * Tags of further blocks, which some checkpoints have as tokens of their own. The environment writes
 * `form` (what the recipe lets happen, see `form-line.ts`) and `reply` (to what was asked); the policy
 * writes the others: a plan before the first search; what a result says to the point (`refine`), whether
 * it helps (`judge`), which passages do by number (`relevance`, `important`), all that is known so far
 * (`memory`), the last of it (`summary`); the sentences that an answer rests on (`evidence`); an
 * expression to be computed; a question to the asker. The `spare` ones mean nothing yet.
 */
export const FURTHER_TOKENS = [
  '<form>',
  '</form>',
  '<reply>',
  '</reply>',
  '<plan>',
  '</plan>',
  '<refine>',
  '</refine>',
  '<judge>',
  '</judge>',
  '<relevance>',
  '</relevance>',
  '<important>',
  '</important>',
  '<memory>',
  '</memory>',
  '<summary>',
  '</summary>',
  '<evidence>',
  '</evidence>',
  '<compute>',
  '</compute>',
  '<ask>',
  '</ask>',
  '<spare_1>',
  '</spare_1>',
  '<spare_2>',
  '</spare_2>',
  '<spare_3>',
  '</spare_3>',
  '<spare_4>',
  '</spare_4>',
  '<spare_5>',
  '</spare_5>',
  '<spare_6>',
  '</spare_6>',
  '<spare_7>',
  '</spare_7>',
  '<spare_8>',
  '</spare_8>',
] as const;

export type SpecialToken = (typeof SPECIAL_TOKENS)[number];
export type FurtherToken = (typeof FURTHER_TOKENS)[number];

/**
 * Text inside a block starts with one space and ends without one, so that a name is cut into the
 * same pieces wherever it stands: in a passage, a query or an answer.
 */
export const inBlock = (text: string): string => ` ${text.trim()}`;

export type RenderPassages = (passages: readonly Passage[]) => string;

/** Passages inside `<result>` or `<background>`: one per line, title first. */
export const renderPassages: RenderPassages = (passages) =>
  passages.length === 0
    ? ' nothing found'
    : passages.map((p) => ` ${p.title} : ${p.text}`).join('\n');

/** Whether a judgement of a result calls it useful. */
export const saysUseful = (judgement: string): boolean => /^yes\b/iu.test(judgement);

/** The final answer's box; the text between the braces is the answer. */
export const renderBoxed = (answer: string): string => ` \\boxed{ ${answer.trim()} }`;

/** What a forced or probed answer starts with, after the opening tag. */
export const BOX_OPEN = ' \\boxed{';

/** Hints that the environment may write (never trained as the policy's own). */
export const HINTS = {
  repeatedQuery: 'this search was made before . use what was found or ask for something else .',
  answerNow: 'no searches are left . answer now .',
  emptyQuery: 'the search was empty . name what to search for .',
  searchFailed: 'the search failed . search again or answer .',
} as const;

/**
 * To policies whose tags are text, which end their turn as they do in a chat. The built-in policy is
 * never told so, and not shown it either.
 */
export const TURN_ENDED_HINT =
  'your turn ended without a search or an answer . write a search or a short answer now .';

/** One text may hold several queries, with semicolons between them. */
export const splitQueries = (text: string, most: number): string[] =>
  text
    .split(/[;\n]/u)
    .map((query) => query.trim())
    .filter((query) => query !== '')
    .slice(0, most);
