import { FURTHER_TOKENS, SPECIAL_TOKENS } from '../../records/protocol.ts';
import type { PolicyTokenizer } from '../../policy/policy.ts';
import {
  isTrained,
  type StoredPair,
  type StoredSegment,
  type TrajectorySet,
} from '../../formats/trajectories/shape.ts';
import { itemAt } from '../../base/items.ts';
import { trainedCount } from '../mask.ts';
import type { ScoredItem } from '../replicas/replica.ts';
import type { Pair } from './dpo.ts';

/** Stored trajectories in the tokens of the policy that learns from them. */

interface StoredItem extends ScoredItem {
  weight: number;
}

export interface StoredItems {
  items: StoredItem[];
  /** Places of pairs among the items. */
  pairs: Pair[];
}

const TAGS = [...SPECIAL_TOKENS, ...FURTHER_TOKENS];

/** Text as tokens; what is there as a tag of the protocol is one where the policy has it as a token. */
function encodeTagged(tokenizer: PolicyTokenizer, text: string): number[] {
  const known = new Map<string, number>(
    TAGS.flatMap((tag) => {
      const id = tokenizer.specialId(tag);
      return id === undefined ? [] : [[tag, id] as const];
    }),
  );
  const pieces = text.split(/(<[/|a-z_\d]+>)/u);
  const ids: number[] = [];
  let plain = '';
  for (const piece of pieces) {
    const id = known.get(piece);
    if (id === undefined) {
      plain += piece;
      continue;
    }
    if (plain !== '') ids.push(...tokenizer.encodeText(plain));
    plain = '';
    ids.push(id);
  }
  return plain === '' ? ids : [...ids, ...tokenizer.encodeText(plain)];
}

/** @throws Error where its ids are none of this policy, or spell another text */
function idsOf({ ids, text }: StoredSegment, tokenizer: PolicyTokenizer): readonly number[] {
  if (ids === undefined) return encodeTagged(tokenizer, text ?? '');
  if (ids.some((id) => id >= tokenizer.vocabSize))
    throw new Error('it holds tokens that this policy does not have');
  if (text !== undefined && tokenizer.decode(ids) !== text)
    throw new Error(
      "its ids spell another text with this policy's vocabulary; leave the ids out to have the text tokenised again",
    );
  return ids;
}

/**
 * The trajectories that fit, and the pairs of which both do.
 * @param maxTokens of one sequence of the trainer
 * @throws Error that names the trajectory at fault, or says that none fits
 */
export function resolveTrajectories(
  { trajectories, pairs }: TrajectorySet,
  tokenizer: PolicyTokenizer,
  maxTokens: number,
): StoredItems {
  const places = new Map<string, number>();
  const items: StoredItem[] = [];
  for (const { id, segments, weight } of trajectories) {
    let parts: { ids: readonly number[]; trained: boolean }[];
    try {
      parts = segments.map((segment) => ({
        ids: idsOf(segment, tokenizer),
        trained: isTrained(segment),
      }));
    } catch (error) {
      throw new Error(
        `trajectories: "${id}": ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
    const ids = Int32Array.from(parts.flatMap((part) => part.ids));
    const mask = Uint8Array.from(
      parts.flatMap((part) => Array.from(part.ids, () => Number(part.trained))),
    );
    // The first token of a context is predicted from scratch.
    if (ids.length > 0) mask[0] = 0;
    if (ids.length > maxTokens || trainedCount(mask) === 0) continue;
    places.set(id, items.length);
    // Supervision is of the model itself, whatever the trajectories were sampled at.
    items.push({ ids, mask, weight, temperature: 1 });
  }
  if (items.length === 0)
    throw new Error(
      `trajectories: none of ${trajectories.length} can be used: each is longer than ${maxTokens} tokens, or has no token to train on`,
    );
  const placed = ({ chosen, rejected }: StoredPair) => {
    const [first, second] = [places.get(chosen), places.get(rejected)];
    return first === undefined || second === undefined ? [] : [{ chosen: first, rejected: second }];
  };
  return { items, pairs: pairs.flatMap(placed) };
}

/** The items of these places, each once, and the pairs by places among them. */
export function pairedItems<Item>(
  { items }: { items: readonly Item[] },
  pairs: readonly Pair[],
): { sequences: Item[]; pairs: Pair[] } {
  const order = [...new Set(pairs.flatMap(({ chosen, rejected }) => [chosen, rejected]))];
  const at = new Map(order.map((place, i) => [place, i]));
  return {
    sequences: order.map((place) => itemAt(items, place, 'trajectories')),
    pairs: pairs.map(({ chosen, rejected }) => ({
      chosen: at.get(chosen) ?? 0,
      rejected: at.get(rejected) ?? 0,
    })),
  };
}
