import {
  SPECIAL_TOKENS,
  FURTHER_TOKENS,
  type FurtherToken,
  type SpecialToken,
} from '../../records/protocol.ts';
import { dialectOf, type BlockKind, type Dialect } from '../../recipes/parts/dialect.ts';
import type { SegmentRole } from '../../records/rollout.ts';
import type { GenerateOptions, PolicyTokenizer } from '../../policy/policy.ts';
import { FORM_BLOCKS, type FormBlock } from '../../records/form-line.ts';
import { HARMONY } from './dialects.ts';
import { spelling } from './tag-names.ts';

/**
 * Text from outside for policies whose tags are text. The parser looks at sampled tokens only, so such
 * text can never act; but a model would read a tag in a passage as a tag, and a server that tokenizes
 * text may read control tokens in it. Both are shown with other brackets, so that a reader sees what
 * was there: `<search>` becomes `‹search›`, `<|im_end|>` becomes `‹|im_end|›`.
 */

const NAMES = [
  ...new Set(
    SPECIAL_TOKENS.filter((token) => !token.startsWith('<|')).map((token) =>
      token.replace(/[</>]/g, ''),
    ),
  ),
];

/** Tags of the protocol, however they are spaced and cased. */
const TAG = new RegExp(`<(\\s*/?\\s*(?:${NAMES.join('|')})\\s*/?\\s*)>`, 'giu');
/** Control tokens of chat templates: `<|…|>`, the fullwidth bars of DeepSeek's, turns and ends. */
const CONTROL =
  /<([|｜][^<>\n]{0,80}[|｜])>|<(\/?s|bos|eos|pad|unk|start_of_turn|end_of_turn)>|<(<\/?SYS>)>|\[(\/?INST)\]/giu;

const inOtherBrackets = (whole: string): string =>
  whole.replace(/[<[]/g, '‹').replace(/[>\]]/g, '›');

/**
 * The text with every tag and control token in it shown in other brackets.
 * @param further tags of a dialect; those without brackets are words, and stay
 */
export function harmless(text: string, further: readonly string[] = []): string {
  let plain = text.replace(TAG, '‹$1›').replace(CONTROL, inOtherBrackets);
  for (const tag of further)
    if (tag.startsWith('<')) plain = plain.replaceAll(tag, inOtherBrackets(tag));
  return plain;
}

const POLICY_BLOCKS: readonly BlockKind[] = [
  'think',
  'search',
  'local_search',
  'web_search',
  'short_answer',
  'long_answer',
];

export type SearchTag = 'search' | 'local_search' | 'web_search';
export type AnswerTag = 'short_answer' | 'long_answer';
export type AskedBlock = 'compute' | 'ask' | 'lookup';

/** Blocks that a recipe may ask for; without it their tags mean nothing that the policy may write. */
export const isFurther = (kind: BlockKind): kind is FormBlock =>
  (FORM_BLOCKS as readonly BlockKind[]).includes(kind);
/** Blocks that the environment answers. */
export const isAsked = (kind: BlockKind): kind is AskedBlock =>
  kind === 'compute' || kind === 'ask' || kind === 'lookup';

export const isSearch = (kind: BlockKind): kind is SearchTag => kind.endsWith('search');
export const isAnswer = (kind: BlockKind): kind is AnswerTag => kind.endsWith('answer');

export function roleOf(kind: BlockKind): SegmentRole {
  if (kind === 'think') return 'think';
  if (isFurther(kind) || kind === 'lookup') return 'other';
  return isSearch(kind) ? 'search' : 'answer';
}

/** What one tag means to the protocol. */
export type TagMeaning =
  /** `toEnd`: nothing but the end of the turn, or the next block, closes it. */
  | { type: 'open'; kind: BlockKind; tag: string; toEnd?: true }
  /** `of`: the kinds that it closes, where that is not one; behind none of them it is text. */
  | { type: 'close'; kind: BlockKind; tag: string; of?: readonly BlockKind[] }
  /** A tag that only the environment may write, or padding. */
  | { type: 'foreign'; tag: string }
  | { type: 'end'; tag: string };

/** Whether whole turns of a chat are the protocol: calls of tools, and a last message that is the answer. */
export const speaksInTurns = ({ dialect }: Pick<Tags, 'dialect'>): boolean =>
  dialect?.answer === 'message';

/** A tag of the protocol, or of ReAct's look-up, which is none of its. */
type TagText = SpecialToken | FurtherToken | '<lookup>' | '</lookup>';

/** What ends a `generate` call. */
export type Stops = Required<Pick<GenerateOptions, 'stopIds' | 'stopTexts'>>;

/** The protocol's tags as one checkpoint spells them. */
export interface Tags {
  /**
   * `ids`: every tag is one special token, and only those tokens are tags. `text`: tags are text, in
   * whatever tokens the policy spells them.
   */
  readonly spelling: 'ids' | 'text';
  /** The published format that is spoken in place of the protocol's own; only where tags are text. */
  readonly dialect: Dialect | null;
  /** What an id alone means; where tags are text, only ids that end a turn mean anything. */
  meaning(id: number): TagMeaning | undefined;
  /** Tags as text with their meaning; none where tags are ids. */
  readonly texts: ReadonlyMap<string, TagMeaning>;
  /** The ids that the environment writes for a tag: one where it is a special token. */
  ids(token: TagText): readonly number[];
  /** Generation stops at these: the end of a search or an answer, and what the policy may not write. */
  readonly stops: Stops;
  /** The same, and `</think>` as well: T of equation (2) writes one thought. */
  readonly thoughtStops: Stops;
  /** Where a thought is over, however it ends: at every tag but the one that opens it. */
  readonly thoughtEnds: Stops;
  /**
   * Text that the environment or a user brings, as it may be in the context. Where tags are ids,
   * text cannot become one and stays as it is; where they are text, tags in it are made harmless.
   */
  plain(text: string): string;
}

const END = '<|endoftext|>';
const PADDING = '<|pad|>';

function meaningOf(
  token: SpecialToken | FurtherToken,
  blocks: readonly BlockKind[] = POLICY_BLOCKS,
): TagMeaning {
  if (token === END) return { type: 'end', tag: token };
  const name = token.replace(/[</>]/g, '');
  const kind = blocks.find((block) => block === name);
  if (!kind) return { type: 'foreign', tag: token };
  return { type: token.startsWith('</') ? 'close' : 'open', kind, tag: token };
}

const stops = (meaning: TagMeaning): boolean =>
  meaning.type === 'foreign' ||
  meaning.type === 'end' ||
  (meaning.type === 'close' &&
    meaning.kind !== 'think' &&
    (!isFurther(meaning.kind) || isAsked(meaning.kind)));

const endsThought = (meaning: TagMeaning): boolean =>
  !(meaning.type === 'open' && meaning.kind === 'think');

/** The texts of tags at which a thought is over. */
const endingTexts = (texts: ReadonlyMap<string, TagMeaning>): string[] =>
  [...texts].filter(([, meaning]) => endsThought(meaning)).map(([text]) => text);

const endIdsOf = (tokenizer: PolicyTokenizer): readonly number[] =>
  tokenizer.endIds ?? [tokenizer.endOfText];

function endMeanings(tokenizer: PolicyTokenizer): Map<number, TagMeaning> {
  const ends = new Set([tokenizer.endOfText, ...endIdsOf(tokenizer)]);
  return new Map([...ends].map((id) => [id, meaningOf(END)]));
}

/** Tags that are special tokens, each by its one id. */
function tagsOfIds(
  tokenizer: PolicyTokenizer,
  ids: ReadonlyMap<SpecialToken, number>,
  blocks: readonly FormBlock[],
): Tags {
  const meanings = new Map<number, TagMeaning>();
  for (const [token, id] of ids) meanings.set(id, meaningOf(token));
  for (const token of FURTHER_TOKENS) {
    const id = tokenizer.specialId(token);
    if (id !== undefined) meanings.set(id, meaningOf(token, blocks));
  }
  for (const [id, meaning] of endMeanings(tokenizer)) meanings.set(id, meaning);
  const stopIds = [...meanings].filter(([, meaning]) => stops(meaning)).map(([id]) => id);
  const idOf = (token: TagText): number => {
    const id = ids.get(token as SpecialToken) ?? tokenizer.specialId(token);
    if (id === undefined) throw new Error(`the policy's tokenizer has no special token ${token}`);
    return id;
  };
  return {
    spelling: 'ids',
    dialect: null,
    meaning: (id) => meanings.get(id),
    texts: new Map(),
    ids: (token) => [idOf(token)],
    stops: { stopIds, stopTexts: [] },
    thoughtStops: { stopIds: [...stopIds, idOf('</think>')], stopTexts: [] },
    thoughtEnds: {
      stopIds: [...meanings].filter(([, meaning]) => endsThought(meaning)).map(([id]) => id),
      stopTexts: [],
    },
    plain: (text) => text,
  };
}

/** Tags as text; a tag that happens to be a special token is written as that token. */
function tagsOfText(tokenizer: PolicyTokenizer, blocks: readonly FormBlock[]): Tags {
  const ends = endMeanings(tokenizer);
  const texts = new Map<string, TagMeaning>();
  for (const token of SPECIAL_TOKENS) {
    if (token !== END && token !== PADDING) texts.set(token, meaningOf(token));
  }
  for (const token of FURTHER_TOKENS) {
    const meaning = meaningOf(token, blocks);
    if (meaning.type !== 'foreign') texts.set(token, meaning);
  }
  const stopIds = [...ends.keys()];
  const stopTexts = [...texts].filter(([, meaning]) => stops(meaning)).map(([tag]) => tag);
  const spelt = new Map<string, readonly number[]>();
  const idsOf = (token: TagText): readonly number[] => {
    const special = tokenizer.specialId(token);
    return special === undefined ? tokenizer.encodeText(token) : [special];
  };
  return {
    spelling: 'text',
    dialect: null,
    meaning: (id) => ends.get(id),
    texts,
    ids: (token) => {
      const known = spelt.get(token) ?? idsOf(token);
      spelt.set(token, known);
      return known;
    },
    stops: { stopIds, stopTexts },
    thoughtStops: { stopIds, stopTexts: [...stopTexts, '</think>'] },
    thoughtEnds: { stopIds, stopTexts: endingTexts(texts) },
    plain: harmless,
  };
}

/** A dialect's marks, as text. */
function tagsOfDialect(tokenizer: PolicyTokenizer, dialect: Dialect): Tags {
  const ends = endMeanings(tokenizer);
  const texts = new Map<string, TagMeaning>();
  const closes = new Map<string, BlockKind[]>();
  for (const { kind, open, close } of dialect.marks) {
    const toEnd = close === null && isSearch(kind);
    texts.set(open, { type: 'open', kind, tag: open, ...(toEnd && { toEnd }) });
    if (close !== null) closes.set(close, [...(closes.get(close) ?? []), kind]);
  }
  for (const [close, of] of closes)
    texts.set(close, { type: 'close', kind: of[0] ?? 'think', tag: close, of });
  const turns = dialect.answer === 'message';
  const foreign = turns ? (dialect.foreign ?? []) : dialect.result.map((text) => text.trim());
  for (const around of foreign)
    if (around !== '' && !texts.has(around)) texts.set(around, { type: 'foreign', tag: around });
  const end = dialect.thoughtEnd;
  if (end !== undefined) texts.set(end, { type: 'close', kind: 'think', tag: end, of: ['think'] });
  const stopIds = [...ends.keys()];
  const stopTexts = [...texts]
    .filter(([text, meaning]) =>
      // A turn may hold several calls.
      turns ? meaning.type === 'foreign' : text !== end && stops(meaning),
    )
    .map(([text]) => text);
  const thoughtEnds = dialect.marks.flatMap(({ kind, close }) =>
    kind === 'think' && close !== null ? [close] : [],
  );
  const spelt = spelling(dialect);
  const encoded = new Map<string, readonly number[]>();
  return {
    spelling: 'text',
    dialect,
    meaning: (id) => ends.get(id),
    texts,
    ids: (token) => {
      const encode = (text: string): number[] =>
        turns && tokenizer.encodeTemplate
          ? tokenizer.encodeTemplate(text)
          : tokenizer.encodeText(text);
      const known = encoded.get(token) ?? encode(spelt(token));
      encoded.set(token, known);
      return known;
    },
    stops: { stopIds, stopTexts },
    thoughtStops: {
      stopIds,
      stopTexts: [...stopTexts, ...thoughtEnds, ...(end === undefined ? [] : [end])],
    },
    thoughtEnds: { stopIds, stopTexts: endingTexts(texts) },
    plain: (text) => harmless(text, [...texts.keys()]),
  };
}

/**
 * How a checkpoint spells the tags: as ids where every tag is a special token, else as text.
 * @param blocks that the recipe lets the policy write beside thought, search and answer
 * @param dialect spoken where tags are text
 */
export function readTags(
  tokenizer: PolicyTokenizer,
  blocks: readonly FormBlock[] = [],
  dialect?: string,
): Tags {
  const ids = new Map<SpecialToken, number>();
  for (const token of SPECIAL_TOKENS) {
    const id = token === END ? tokenizer.endOfText : tokenizer.specialId(token);
    if (id !== undefined) ids.set(token, id);
    else if (token !== PADDING)
      return dialect === undefined
        ? tagsOfText(tokenizer, blocks)
        : tagsOfDialect(
            tokenizer,
            dialect === 'tools' && tokenizer.specialId('<|channel|>') !== undefined
              ? HARMONY
              : dialectOf(dialect),
          );
  }
  return tagsOfIds(tokenizer, ids, blocks);
}
