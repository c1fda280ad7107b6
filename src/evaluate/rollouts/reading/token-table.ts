import type {
  ImportedRollout,
  ImportedSegment,
  TokenValues,
} from '../../../formats/rollouts/shape/imported.ts';
import { tagNames, type TagNames } from '../../../agent/transcript/tag-names.ts';
import type { RolloutOutcome } from '../what-if/what-if.ts';
import { itemAt } from '../../../base/items.ts';

/** Every token of a rollout with every number that is known of it, as columns. */

export const TOKEN_COLUMNS = {
  logprob: { name: 'log-probability', unit: 'nat' },
  refLogprob: { name: 'reference log-probability', unit: 'nat' },
  ratio: { name: 'ratio to the reference', unit: '' },
  entropy: { name: 'entropy', unit: 'nat' },
  advantage: { name: 'advantage', unit: '' },
  weight: { name: 'weight in the loss', unit: '' },
  push: { name: 'push of the update', unit: '' },
  kl: { name: 'KL to the reference', unit: 'nat' },
  value: { name: 'critic’s value', unit: '' },
  tokenReward: { name: 'reward of the token', unit: '' },
} as const;

export type TokenColumn = keyof typeof TOKEN_COLUMNS;

/** What is for a token: the file's tokens, or words where it has none. */
type TokenKind = 'tokens' | 'ids' | 'pieces';

export interface TokenTable {
  count: number;
  /** `pieces`: white-space pieces stand for tokens that the file does not have. */
  kind: TokenKind;
  /** Some segments have tokens, others are cut at white space. */
  mixed: boolean;
  /** The text continues after the last piece: `MOST_PIECES` are cut at most. */
  more: boolean;
  /** Segment of each token, and place in it. */
  segment: Int32Array;
  index: Int32Array;
  /** First token of each segment; the last entry is `count`. */
  starts: Int32Array;
  /** 1 trained, 0 not, −1 where the file does not say. */
  mask: Int8Array;
  /** −1 where there is no id. */
  ids: Int32Array;
  /** Null where only the id is known. */
  texts: (string | null)[];
  /** What the recipe's own format calls tokens of the policy that are tags; for showing alone. */
  names: TagNames;
  columns: Partial<Record<TokenColumn, Float64Array>>;
  /** Why a column is not there. */
  lacks: Partial<Record<TokenColumn, string>>;
}

/** White-space pieces after which a text is cut no further. */
export const MOST_PIECES = 100_000;

function piecesOf(text: string, most: number): string[] {
  const pieces: string[] = [];
  for (const match of text.matchAll(/\s*\S{1,80}|\s+$/g)) {
    if (pieces.length === most) break;
    pieces.push(match[0]);
  }
  return pieces;
}

const tokensIn = ({ ids, tokens }: ImportedSegment): number => ids?.length ?? tokens?.length ?? 0;

const hasTokens = (segment: ImportedSegment): boolean =>
  segment.ids !== undefined || segment.tokens !== undefined;

const NO_COLUMN: Record<TokenColumn, string> = {
  logprob: 'the file has no log-probabilities',
  refLogprob: 'the file has no reference log-probabilities',
  ratio: 'it needs log-probabilities of the policy and of a reference; the file lacks one of them',
  entropy: 'the file has no entropies',
  advantage: 'the file has no advantage, and none can be computed without the rewards of a group',
  weight: 'it needs tokens and rewards of every rollout of the group',
  push: 'it needs tokens and rewards of every rollout of the group',
  kl: 'it needs log-probabilities of the policy and of a reference; the file lacks one of them',
  value: 'the file has no values of a critic',
  tokenReward: 'the file has no rewards of single tokens',
};

const FROM_FILE: readonly [TokenColumn, keyof ImportedSegment][] = [
  ['logprob', 'logprobs'],
  ['refLogprob', 'refLogprobs'],
  ['entropy', 'entropies'],
  ['advantage', 'advantages'],
  ['value', 'values'],
  ['tokenReward', 'tokenRewards'],
];

const nans = (count: number): Float64Array => new Float64Array(count).fill(NaN);

const someFinite = (column: Float64Array): boolean => column.some((value) => !Number.isNaN(value));

/** A mask as it is shown: what does not say whether a token is trained may still say who wrote it. */
const maskOf = (own: number | undefined, source: ImportedSegment['source']): number =>
  own !== undefined ? (own === 1 ? 1 : 0) : source === 'prompt' ? 0 : -1;

/** Fills the columns that the file itself has, a segment at a time: a long rollout has a million tokens. */
function fileColumns(table: TokenTable, { segments }: Pick<ImportedRollout, 'segments'>): void {
  for (const [name, key] of FROM_FILE) {
    let column: Float64Array | null = null;
    for (const [s, segment] of segments.entries()) {
      const values = segment[key] as TokenValues | undefined;
      if (!values) continue;
      const from = itemAt(table.starts, s);
      const count = Math.min(values.length, itemAt(table.starts, s + 1) - from);
      for (let i = 0; i < count; i++) {
        const value = values[i] ?? NaN;
        if (Number.isNaN(value)) continue;
        column ??= nans(table.count);
        column[from + i] = value;
      }
    }
    if (column) table.columns[name] = column;
  }
  const { logprob, refLogprob } = table.columns;
  if (logprob && refLogprob)
    table.columns.ratio = logprob.map((value, i) => Math.exp(value - itemAt(refLogprob, i)));
}

/** Columns that follow from the group: they are computed, not read. */
function groupColumns(table: TokenTable, outcome: RolloutOutcome): void {
  const { tokens, advantage } = outcome;
  if (!tokens) return;
  const columns = { weight: nans(table.count), push: nans(table.count), kl: nans(table.count) };
  const own = table.columns.advantage ?? nans(table.count);
  tokens.segment.forEach((segment, i) => {
    const at = itemAt(table.starts, segment, 'segments') + itemAt(tokens.index, i);
    const trained = tokens.mask[i] === 1;
    columns.weight[at] = itemAt(tokens.weight, i);
    columns.push[at] = itemAt(tokens.push, i);
    columns.kl[at] = trained ? itemAt(tokens.kl, i) : NaN;
    if (!table.columns.advantage) own[at] = trained && advantage !== null ? advantage : NaN;
  });
  for (const name of ['weight', 'push', 'kl'] as const)
    if (someFinite(columns[name])) table.columns[name] = columns[name];
  if (someFinite(own)) table.columns.advantage = own;
}

/** The file's one advantage, on every token that it trained. */
function rolloutAdvantage(table: TokenTable, rollout: ImportedRollout): void {
  const { advantage, segments } = rollout;
  if (table.columns.advantage || advantage === null) return;
  const column = nans(table.count);
  table.mask.forEach((bit, at) => {
    const { source } = itemAt(segments, itemAt(table.segment, at), 'segments');
    if (bit < 0 ? source === 'policy' : bit === 1) column[at] = advantage;
  });
  if (someFinite(column)) table.columns.advantage = column;
}

const lacksOf = ({ columns, kind }: Pick<TokenTable, 'columns' | 'kind'>): TokenTable['lacks'] => {
  const lacks: TokenTable['lacks'] = {};
  for (const name of Object.keys(TOKEN_COLUMNS) as TokenColumn[])
    if (!columns[name])
      lacks[name] =
        kind === 'pieces' ? `the file has no tokens; ${NO_COLUMN[name]}` : NO_COLUMN[name];
  return lacks;
};

/** The table with weights under the group's settings; the other columns are shared, not copied. */
export function withOutcome(table: TokenTable, outcome: RolloutOutcome): TokenTable {
  const made = { ...table, columns: { ...table.columns } };
  groupColumns(made, outcome);
  return { ...made, lacks: lacksOf(made) };
}

/** Tables of rollouts that are held somewhere: several views of a rollout show the same one. */
const tables = new WeakMap<ImportedRollout, TokenTable>();

/**
 * The tokens of a rollout. A segment without tokens is cut at white space, so that all of the text is
 * there; its pieces have no numbers.
 * @param outcome weights under the group's settings, where they could be computed
 */
export function tokenTable(rollout: ImportedRollout, outcome?: RolloutOutcome | null): TokenTable {
  const known = tables.get(rollout);
  const table = known ?? plainTable(rollout);
  if (!known) tables.set(rollout, table);
  return outcome ? withOutcome(table, outcome) : table;
}

function plainTable(rollout: ImportedRollout): TokenTable {
  const { segments } = rollout;
  let room = MOST_PIECES;
  const pieces = segments.map((segment) => {
    if (hasTokens(segment)) return null;
    const cut = piecesOf(segment.text, room);
    room -= cut.length;
    return cut;
  });
  const starts = new Int32Array(segments.length + 1);
  let count = 0;
  segments.forEach((segment, s) => {
    count += pieces[s]?.length ?? tokensIn(segment);
    starts[s + 1] = count;
  });
  const cuts = segments.filter((segment) => !hasTokens(segment) && segment.text !== '').length;
  const some = segments.some(hasTokens);
  const table: TokenTable = {
    count,
    kind: !some ? 'pieces' : segments.some(({ tokens }) => tokens) ? 'tokens' : 'ids',
    mixed: some && cuts > 0,
    more: room === 0,
    segment: new Int32Array(count),
    index: new Int32Array(count),
    starts,
    mask: new Int8Array(count),
    ids: new Int32Array(count).fill(-1),
    texts: Array<string | null>(count).fill(null),
    names: tagNames(rollout),
    columns: {},
    lacks: {},
  };
  for (const [s, segment] of segments.entries()) {
    const [from, to] = [itemAt(starts, s), itemAt(starts, s + 1)];
    const { ids, lossMask, source } = segment;
    const texts = pieces[s] ?? segment.tokens;
    table.segment.fill(s, from, to);
    table.mask.fill(maskOf(segment.mask, source), from, to);
    for (let at = from; at < to; at++) {
      const i = at - from;
      table.index[at] = i;
      const bit = lossMask?.[i] ?? null;
      if (bit !== null) table.mask[at] = maskOf(bit, source);
      if (ids) table.ids[at] = ids[i] ?? -1;
      if (texts) table.texts[at] = texts[i] ?? null;
    }
  }
  fileColumns(table, rollout);
  rolloutAdvantage(table, rollout);
  table.lacks = lacksOf(table);
  return table;
}

/** Least and greatest finite value of a column. */
export function rangeOf(column: Float64Array): { low: number; high: number } {
  let [low, high] = [Infinity, -Infinity];
  for (const value of column) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? { low, high } : { low: 0, high: 0 };
}
