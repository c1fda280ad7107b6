import type { SegmentRole } from '../data/rollout.ts';
import type { PolicyTokenizer } from '../policy/policy.ts';
import { SPECIAL_TOKENS, type SpecialToken } from './protocol.ts';

/** Blocks that the policy may write. */
export type BlockKind =
  'think' | 'search' | 'local_search' | 'web_search' | 'short_answer' | 'long_answer';

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

export const isSearch = (kind: BlockKind): kind is SearchTag => kind.endsWith('search');
export const isAnswer = (kind: BlockKind): kind is AnswerTag => kind.endsWith('answer');

export function roleOf(kind: BlockKind): SegmentRole {
  if (kind === 'think') return 'think';
  return isSearch(kind) ? 'search' : 'answer';
}

/** What one token id means to the protocol. */
export type TagMeaning =
  | { type: 'open'; kind: BlockKind; tag: string }
  | { type: 'close'; kind: BlockKind; tag: string }
  /** A tag that only the environment may write, or padding. */
  | { type: 'foreign'; tag: string }
  | { type: 'end'; tag: string };

/** The protocol's special tokens as ids of one checkpoint. */
export interface Tags {
  meaning(id: number): TagMeaning | undefined;
  id(token: SpecialToken): number;
  /** Generation stops at these: the end of a search or an answer, and what the policy may not write. */
  stopIds: readonly number[];
  /** The same, and `</think>` as well: T of equation (2) writes one thought. */
  thoughtStopIds: readonly number[];
}

function meaningOf(token: SpecialToken): TagMeaning {
  if (token === '<|endoftext|>') return { type: 'end', tag: token };
  const name = token.replace(/[</>]/g, '');
  const kind = POLICY_BLOCKS.find((block) => block === name);
  if (!kind) return { type: 'foreign', tag: token };
  return { type: token.startsWith('</') ? 'close' : 'open', kind, tag: token };
}

const stops = (meaning: TagMeaning): boolean =>
  meaning.type === 'foreign' ||
  meaning.type === 'end' ||
  (meaning.type === 'close' && meaning.kind !== 'think');

/** @throws Error where the tokenizer lacks one of the protocol's tags. */
export function readTags(tokenizer: PolicyTokenizer): Tags {
  const ids = new Map<SpecialToken, number>();
  const meanings = new Map<number, TagMeaning>();
  for (const token of SPECIAL_TOKENS) {
    const id = token === '<|endoftext|>' ? tokenizer.endOfText : tokenizer.specialId(token);
    if (id === undefined) {
      if (token === '<|pad|>') continue;
      throw new Error(`the policy's tokenizer has no special token ${token}`);
    }
    ids.set(token, id);
    meanings.set(id, meaningOf(token));
  }
  const stopIds = [...meanings].filter(([, meaning]) => stops(meaning)).map(([id]) => id);
  const idOf = (token: SpecialToken): number => {
    const id = ids.get(token);
    if (id === undefined) throw new Error(`the policy's tokenizer has no special token ${token}`);
    return id;
  };
  return {
    meaning: (id) => meanings.get(id),
    id: idOf,
    stopIds,
    thoughtStopIds: [...stopIds, idOf('</think>')],
  };
}
