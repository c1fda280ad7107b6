import type { Dialect } from './transcript/dialect.ts';
import type { DialectId } from '../recipes/parts/dialect.ts';
import { readProseAnswer } from './transcript/boxed.ts';
import { isObjectOrList } from '../base/objects.ts';
import type { Rollout } from '../records/rollout.ts';
import { dialectOf } from './transcript/dialects.ts';
import { spokenDialect } from './transcript/tag-names.ts';

/** Output in a published system's format, read as its released reward function reads it. */

/**
 * The text that a released reward function reads. Those functions know no events: they search the output for tags.
 * Differences from what they are given: text that was retrieved holds no tags here, and the prompt is left out.
 */
export interface Output {
  /** What the policy and the environment wrote after the prompt, in order. */
  text: string;
  /** What the policy wrote; a line break stands for what the environment wrote between. */
  written: string;
}

/** The part of a segment that matters here; records of other systems have further roles. */
interface Piece {
  source: 'prompt' | 'policy' | 'environment';
  role: string;
  text: string;
}

const withoutTags = (text: string): string => text.replaceAll('<', '‹').replaceAll('>', '›');

/** A result: the tags at its ends stay, and stand around one that came without them, as in a chat. */
function resultText(text: string, [before, after]: Dialect['result']): string {
  const [open = ''] = /^\s*<[^<>]+>/.exec(text) ?? [];
  const rest = text.slice(open.length);
  const [close = ''] = /<[^<>]+>\s*$/.exec(rest) ?? [];
  if (open === '' && close === '') return before + withoutTags(text) + after;
  return open + withoutTags(rest.slice(0, rest.length - close.length)) + close;
}

function pieceText({ source, role, text }: Piece, { result }: Pick<Dialect, 'result'>): string {
  if (source === 'policy') return text;
  if (role === 'result' || role === 'background') return resultText(text, result);
  // A forced answer is opened, and a block at a limit closed, in the policy's place.
  if (role === 'answer' || role === 'think' || role === 'search') return text;
  return withoutTags(text) + openedThought(text);
}

/** Some chat templates open the thought that the policy continues. */
const openedThought = (text: string): string =>
  text.trimEnd().endsWith('<think>') ? '<think>' : '';

/**
 * @param pieces all of a rollout; those of the prompt are left out, except for a thought that it begins
 * @param from where the output begins, among the pieces
 */
export function outputOf(
  pieces: readonly Piece[],
  from: number,
  dialect: Pick<Dialect, 'result'>,
): Output {
  const own = pieces.slice(from).filter(({ source }) => source !== 'prompt');
  const begun = openedThought(pieces[from - 1]?.text ?? '');
  return {
    text: begun + own.map((piece) => pieceText(piece, dialect)).join(''),
    written: own.map(({ source, text }) => (source === 'policy' ? text : '\n')).join(''),
  };
}

/** How often a text is in another one. */
const count = (text: string, wanted: string): number => text.split(wanted).length - 1;

/** Contents of the closed blocks of a tag, trimmed, in order. */
export const blocksIn = (text: string, tag: string): string[] =>
  [...text.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, inner = '']) =>
    inner.trim(),
  );

/** How the reward function of a published system reads an output, in the tags of its own format. */
export interface Release {
  /** Dialects whose outputs it reads. */
  dialects: readonly DialectId[];
  /** The answer that it takes out of an output; null: none. */
  answer: (output: Output) => string | null;
  /** What breaks its format, one sentence each; empty: the output is well formed. */
  faults: (output: Output, golds: readonly string[]) => string[];
}

/** Sentences whose condition holds. */
const faultsAmong = (found: Readonly<Record<string, boolean>>): string[] =>
  Object.keys(found).filter((fault) => found[fault]);

/**
 * Search-R1's format (PeterGriffinJin/Search-R1, reward_score/qa_em_format.py): a thought; then any number of search,
 * information and thought; then the answer. Every tag is closed, and only white space stands between blocks.
 */

const SEARCH_R1_TAGS = ['think', 'search', 'information', 'answer'] as const;
type Tag = (typeof SEARCH_R1_TAGS)[number];

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
    const tag = SEARCH_R1_TAGS.find((one) => one === name);
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
    const uneven = SEARCH_R1_TAGS.filter(
      (tag) => count(text, `<${tag}>`) !== count(text, `</${tag}>`),
    );
    if (uneven.length > 0) return uneven.map((tag) => `<${tag}> and </${tag}> differ in number`);
    const found = disorder(text);
    return found === null ? [] : [found];
  },
};

/**
 * R1-Searcher's formats (RUCAIBox/R1-Searcher, train/reward_server_*.py). Its prompts end with `<think>`, so that an
 * output opens no thought; one at its very beginning is taken for the prompt's.
 */

const opened = (text: string): string => text.replace(/^\s*<think>/, '');

/** Tags of searches, as its servers count them: what was found begins with a number, and a blank line follows it. */
const R1_SEARCHER_SEARCH_TAGS = [
  '<|begin_of_query|>',
  '<|end_of_query|>',
  '<|begin_of_documents|>\n(1)',
  '<|end_of_documents|>\n\n',
];

const evenSearches = (text: string): boolean => {
  const [first = 0, ...others] = R1_SEARCHER_SEARCH_TAGS.map((tag) => count(text, tag));
  return others.every((one) => one === first);
};

/** Whether it searched, and every query was closed and found something. */
export const retrieved = (text: string): boolean =>
  text.includes('<|begin_of_query|>') && evenSearches(text);

/** One thought, closed, and one answer, closed. */
const onePair = (text: string): boolean =>
  count(opened(text), '<think>') === 0 &&
  ['</think>', '<answer>', '</answer>'].every((tag) => count(text, tag) === 1);

const r1SearcherAnswer = (text: string): string | null => blocksIn(text, 'answer')[0] ?? null;

const CHINESE = /[\u4E00-\u9FFF]/u;

/** Stage 1. */
export const r1SearcherFirst: Release = {
  dialects: ['r1-searcher'],
  answer: ({ text }) => r1SearcherAnswer(text),
  faults: ({ text }) => (onePair(text) ? [] : ['there is not exactly one thought and one answer']),
};

/** Stage 2. What the policy wrote is searched for Chinese and for "assistant", the text that it read is not. */
export const r1Searcher: Release = {
  dialects: ['r1-searcher'],
  answer: ({ text }) => r1SearcherAnswer(text),
  faults: ({ text, written }) => {
    const answer = r1SearcherAnswer(text);
    return faultsAmong({
      'there is not exactly one thought and one answer': !onePair(text),
      'a query is not closed, or found nothing': !evenSearches(text),
      'a search tag is in the answer': /<\|(?:begin|end)_of_/.test(answer ?? ''),
      'it holds Chinese characters': CHINESE.test(written),
      'it holds the word "assistant"': /assistant/i.test(written),
    });
  },
};

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

export const research: Release = {
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
};

/** UR²'s format for open-domain questions (Tsinghua-dhy/UR2, UR2_RL/train/reward_server_qwen_*_rag_stage*.py). */

/** A query may have 20 words, an output four queries, an answer ten words or as many as the longest gold answer. */
const QUERY_WORDS = 20;
const QUERIES = 4;
const ANSWER_WORDS = 10;

const wordsOf = (text: string): number => text.split(/\s+/).filter(Boolean).length;

const UR2_SEARCH_TAGS = ['query', 'documents'].flatMap((what) => [
  `<|begin_of_${what}|>`,
  `<|end_of_${what}|>`,
]);

/**
 * From the first `\boxed{` of a line to its last brace, of the last line that has one; else the letter of an option. So
 * two boxes on a line are one answer, and so is a box with what braces follow it.
 */
function stated(text: string): string | null {
  const boxed = [...text.matchAll(/\\boxed\{(.*)\}/g)].at(-1)?.[1];
  return boxed?.trim() ?? /[Tt]he correct answer is:\s*([A-J])/.exec(text)?.[1] ?? null;
}

const ur2Answer = (text: string): string | null =>
  stated(text) ?? blocksIn(text, 'answer').at(-1) ?? null;

const queriesIn = (text: string): string[] =>
  [...text.matchAll(/<\|begin_of_query\|>([\s\S]*?)<\|end_of_query\|>/g)].map(
    ([, query = '']) => query,
  );

/**
 * What the paper says of its format: queries and what was found are closed, a query has fewer than 20 words, and an answer
 * is in a box or after the phrase. A query that brought nothing is not a fault.
 */
export const ur2Paper: Release = {
  dialects: ['ur2'],
  answer: ({ text }) => readProseAnswer(text, 'the correct answer is:'),
  faults: ({ text }) => {
    const [queries = 0, ended = 0, found = 0, shown = 0] = UR2_SEARCH_TAGS.map((tag) =>
      count(text, tag),
    );
    const all = queriesIn(text);
    return [
      ...all.flatMap((query) => (query.trim() === '' ? ['a query is empty'] : [])),
      ...all.flatMap((query) =>
        wordsOf(query) < QUERY_WORDS ? [] : [`a query has ${QUERY_WORDS} words or more`],
      ),
      ...faultsAmong({
        'a query is not closed': queries !== ended,
        'it wrote what only a search finds': found !== shown || found > queries,
        'there is no answer': readProseAnswer(text, 'the correct answer is:') === null,
      }),
    ];
  },
};

/** As released. */
export const ur2: Release = {
  dialects: ['ur2'],
  answer: ({ text }) => ur2Answer(text),
  faults: ({ text, written }, golds) => {
    const [queries = 0, ...others] = UR2_SEARCH_TAGS.map((tag) => count(text, tag));
    const long = queriesIn(text).filter((query) => wordsOf(query) > QUERY_WORDS);
    const longest = Math.max(ANSWER_WORDS, ...golds.map(wordsOf));
    return [
      ...long.map(() => `a query has more than ${QUERY_WORDS} words`),
      ...faultsAmong({
        'a query is not closed or not answered': others.some((one) => one !== queries),
        [`there are more than ${QUERIES} queries`]: queries > QUERIES,
        'it holds Chinese characters': CHINESE.test(written),
        'the answer is not in a box': stated(text) === null,
        [`the answer has more than ${longest} words`]: wordsOf(ur2Answer(text) ?? '') > longest,
      }),
    ];
  },
};

/** AutoRefine (syr-cn/AutoRefine, reward_score/qa_em.py) asks for a closed answer and for no other format. */

const lastAnswer = (text: string): string | null => blocksIn(text, 'answer').at(-1) ?? null;

export const autoRefine: Release = {
  dialects: ['auto-refine'],
  answer: ({ text }) => lastAnswer(text),
  faults: ({ text }) => (lastAnswer(text) === null ? ['there is no closed answer'] : []),
};

/** R-Search's format (QingFei1/R-Search, reward_score/qa_f1.py): one whole answer, and one whole evidence after a result. */

/** Whether there is exactly one closed answer, and text in it. */
export function oneAnswer(text: string): boolean {
  const [answer, ...others] = blocksIn(text, 'answer');
  return answer !== undefined && answer !== '' && others.length === 0;
}

/** Contents of the closed blocks of evidence, and whether a result was shown. */
export const evidenceIn = (text: string): { evidence: string[]; observed: boolean } => ({
  evidence: blocksIn(text, 'original_evidence'),
  observed: blocksIn(text, 'observation').length > 0,
});

/** Whether there is exactly one block of evidence with text in it where a result was shown, and none where not. */
export function fittingEvidence(text: string): boolean {
  const { evidence, observed } = evidenceIn(text);
  if (!observed) return evidence.length === 0;
  return evidence.length === 1 && evidence[0] !== '';
}

export const rSearch: Release = {
  dialects: ['r-search'],
  answer: ({ text }) => blocksIn(text, 'answer').at(-1) ?? null,
  faults: ({ text }) =>
    faultsAmong({
      'there is not exactly one answer with text in it': !oneAnswer(text),
      'the evidence does not fit the results': !fittingEvidence(text),
    }),
};

/**
 * ARENA's format (ren258/ARENA, src/evaluate.py): relevance, analysis and answer in this order, nothing before or between
 * them, and no "<" inside. Its expression works by lines: what follows on the next line is not looked at.
 */
const FORM =
  /^<relevance>[^<]*<\/relevance>\s*<analysis>[^<]*<\/analysis>\s*<answer>[^<]*<\/answer>$/m;

/** Numbers of passages in the first block of relevance, a JSON list; null where it holds none. */
export function chosenIn(text: string): number[] | null {
  try {
    const value: unknown = JSON.parse(blocksIn(text, 'relevance')[0] ?? '');
    const list = isObjectOrList(value) && Array.isArray(value) ? value : null;
    return list?.filter((one): one is number => typeof one === 'number') ?? null;
  } catch {
    return null;
  }
}

export const arena: Release = {
  dialects: ['arena'],
  answer: ({ text }) => blocksIn(text, 'answer')[0] ?? null,
  faults: ({ text }) =>
    FORM.test(text) ? [] : ['the output is not relevance, analysis and answer'],
};

/** DeepResearcher's format (GAIR-NLP/DeepResearcher, reward_score/format_and_f1.py): tags that are balanced, whatever their case. */

const DEEP_RESEARCHER_TAGS = ['tool_call', 'think', 'answer'];

export const deepResearcher: Release = {
  dialects: ['deep-researcher'],
  // The first block; its words are compared in lower case.
  answer: ({ text }) => blocksIn(text.toLowerCase(), 'answer')[0] ?? null,
  faults: ({ text }) => {
    const lower = text.toLowerCase();
    return DEEP_RESEARCHER_TAGS.filter(
      (tag) => count(lower, `<${tag}>`) !== count(lower, `</${tag}>`),
    ).map((tag) => `<${tag}> and </${tag}> differ in number`);
  },
};

/** The release whose format a dialect is in; null where none judges a format. */
export const releaseOf = (dialect: DialectId): Release | null =>
  [searchR1, r1Searcher, research, ur2, autoRefine, rSearch, arena, deepResearcher].find(
    ({ dialects }) => dialects.includes(dialect),
  ) ?? null;

const UNFINISHED = new Set(['malformed', 'end-of-text', 'cancelled', 'error']);

/** An output, and the published formats in which it can be read. */
export interface SpokenOutput extends Output {
  dialects: readonly DialectId[];
}

/** What a policy wrote in a published format, and what came between; null where it spoke the protocol's own. */
export function spokenOutput(rollout: Pick<Rollout, 'recipe' | 'segments'>): SpokenOutput | null {
  const dialect = spokenDialect(rollout);
  if (dialect === null) return null;
  const { segments } = rollout;
  const first = segments.findIndex(({ source }) => source === 'policy');
  const from = first < 0 ? segments.length : first;
  return { ...outputOf(segments, from, dialectOf(dialect)), dialects: [dialect] };
}

/**
 * Whether the released reward function of the output's format takes an answer out of it and finds no fault of format.
 * @returns null where no release judges this format
 */
export function releasedValid(output: SpokenOutput, golds: readonly string[]): boolean | null {
  const [dialect] = output.dialects;
  const release = dialect === undefined ? null : releaseOf(dialect);
  if (release === null) return null;
  return release.answer(output) !== null && release.faults(output, golds).length === 0;
}

type Recorded = Pick<Rollout, 'events' | 'answer' | 'segments' | 'recipe' | 'question'>;

/**
 * Whether the whole output follows the protocol, from the record only. In a published format as its released reward
 * function judges it (`releasedValid`). Else exactly:
 *
 * 1. no `malformed` event: every block that the policy opened it closed with the block's own tag; no
 *    tag stands inside a block; it wrote no tag of the environment's; only white space stands between
 *    its blocks; a thought stands before every search and every answer; no query is empty; the answer
 *    block holds exactly one `\boxed{…}`, closed, with text in it; no limit cut a block off;
 * 2. there is an answer;
 * 3. it did not stop by `malformed`, `end-of-text`, `cancelled` or `error`.
 *
 * What the environment asked for (a forced answer after the last search) is not a violation by the policy.
 */
export function formatValid(rollout: Recorded): boolean {
  const output = spokenOutput(rollout);
  const released = output && releasedValid(output, rollout.question.answers);
  if (released !== null) return released;
  if (rollout.answer === null) return false;
  return rollout.events.every((event) => {
    if (event.kind === 'error') return event.what !== 'malformed';
    return event.kind !== 'stop' || !UNFINISHED.has(event.reason);
  });
}
