import { outsideOf } from '../../records/outside-answer.ts';
import {
  goldsToScore,
  unscoredReason,
  type ImportedRollout,
} from '../../formats/rollouts/shape/imported.ts';
import { roundsOf, type ReadPassage, type Round } from '../../formats/rollouts/rounds.ts';
import { questionScores } from '../../agent/answers/checked.ts';
import { words } from '../../agent/answers/normalisers.ts';
import {
  computeSide,
  tokenWeightOf,
  totalPushOf,
  type RolloutOutcome,
  type Side,
  type WhatIfSettings,
} from './what-if/what-if.ts';
import { itemAt } from '../../base/items.ts';
import { searchesIn } from './lint/facts.ts';
import { passageKey } from './reading/rounds.ts';

/** A group's siblings side by side, and how their rewards became pushes on their tokens. */

/** One sibling in one round. */
export interface AlignedCell {
  round: Round;
  /** Siblings, by number, that asked the same in this round: same words, in any order. */
  sameQueryAs: number[];
  /** Passages that no other sibling has read in any round. */
  onlyHere: ReadPassage[];
  /** Passages that this sibling had read in an earlier round. */
  repeated: ReadPassage[];
}

interface AlignedSibling {
  id: string;
  answer: string | null;
  notScored?: string;
  /** Text outside the tags in place of an answer. */
  outside?: string;
  /** Null without gold answers, and where the answer cannot be read. */
  em: number | null;
  searches: number;
}

export interface AlignedGroup {
  groupId: string;
  question: ImportedRollout['question'];
  siblings: AlignedSibling[];
  /** By round, then by sibling, as many as are beside each other; null where a sibling had ended before. */
  rows: (AlignedCell | null)[][];
}

const queryKey = ({ query }: Round): string | null =>
  query === null ? null : [...new Set(words(query.text))].sort().join(' ');

/** In how many siblings each passage was read. */
function readersOf(siblings: readonly (readonly Round[])[]): Map<string, number> {
  const readers = new Map<string, number>();
  for (const rounds of siblings) {
    const keys = new Set(rounds.flatMap(({ passages }) => passages.map(passageKey)));
    for (const key of keys) readers.set(key, (readers.get(key) ?? 0) + 1);
  }
  return readers;
}

/**
 * Aligns the rollouts of one group by the number of the round; rounds are not matched by content.
 * @param beside siblings that get cells, the first ones; all are counted in what sets these apart
 */
export function alignGroup(
  rollouts: readonly ImportedRollout[],
  beside = rollouts.length,
): AlignedGroup | null {
  const [first] = rollouts;
  if (!first) return null;
  const siblings = rollouts.map((rollout) => {
    const rounds = roundsOf(rollout);
    return { rollout, rounds, keys: rounds.map(queryKey), known: new Set<string>() };
  });
  type Sibling = (typeof siblings)[number];
  const readers = readersOf(siblings.map(({ rounds }) => rounds));
  const shown = siblings.slice(0, beside);
  const length = shown.reduce((most, { rounds }) => Math.max(most, rounds.length), 0);
  const cell = (sibling: Sibling, at: number): AlignedCell | null => {
    const { rounds, keys, known } = sibling;
    const [round, key = null] = [rounds[at], keys[at]];
    if (!round) return null;
    const repeated = round.passages.filter((passage) => known.has(passageKey(passage)));
    for (const passage of round.passages) known.add(passageKey(passage));
    return {
      round,
      sameQueryAs:
        key === null
          ? []
          : siblings.flatMap((other, i) =>
              other !== sibling && other.keys[at] === key ? [i] : [],
            ),
      onlyHere: round.passages.filter((passage) => readers.get(passageKey(passage)) === 1),
      repeated,
    };
  };
  return {
    groupId: first.groupId,
    question: first.question,
    siblings: siblings.map(({ rollout }) => {
      const { id, answer } = rollout;
      const golds = goldsToScore(rollout);
      return {
        id,
        answer,
        notScored: unscoredReason(rollout),
        ...outsideOf(rollout),
        em: golds.length === 0 ? null : questionScores(answer, first.question).em,
        searches: searchesIn(rollout),
      };
    }),
    rows: Array.from({ length }, (_, at) => shown.map((sibling) => cell(sibling, at))),
  };
}

/** From reward to token weights, one step a field. */
export interface CreditChain {
  id: string;
  clauses: ImportedRollout['rewards'];
  reward: number | null;
  baseline: number | null;
  advantage: number | null;
  /** What the file itself gives, to compare with. */
  stored: { baseline: number | null; advantage: number | null };
  trainedTokens: number | null;
  /** Of one trained token in the batch's loss; null without tokens. */
  tokenWeight: number | null;
  /** Sum of the pushes on its tokens, with its sign: above 0 the update makes the rollout likelier. */
  totalPush: number | null;
}

export interface GroupCredit {
  chains: CreditChain[];
  /** All rewards are equal: the group teaches nothing. */
  zeroVariance: boolean;
  /** What could not be computed, and what the file would have to hold. */
  cannot: Side['cannot'];
}

/** The credit of a group's siblings under some settings; the batch is the group. */
export function groupCredit(
  rollouts: readonly ImportedRollout[],
  settings: WhatIfSettings,
): GroupCredit {
  const side = computeSide(rollouts, settings);
  const chains = side.rollouts.map((outcome, i): CreditChain => {
    const rollout = itemAt(rollouts, i, 'rollouts');
    return {
      id: outcome.id,
      clauses: rollout.rewards,
      reward: outcome.reward,
      baseline: outcome.baseline,
      advantage: outcome.advantage,
      stored: { baseline: rollout.baseline, advantage: rollout.advantage },
      trainedTokens: outcome.trainedTokens,
      tokenWeight: tokenWeightOf(outcome),
      totalPush: totalPushOf(outcome),
    };
  });
  return { chains, zeroVariance: side.zeroVariance.length > 0, cannot: side.cannot };
}

/** How the tokens of one sibling are weighted; `outcome` is null where it is not in the group. */
export interface TokenCredit {
  outcome: RolloutOutcome | null;
  cannot: Side['cannot'];
}

/** The weight of every token of a sibling under some settings; the batch is the group. */
export function tokenCredit(
  rollouts: readonly ImportedRollout[],
  rolloutId: string,
  settings: WhatIfSettings,
): TokenCredit {
  const { rollouts: outcomes, cannot } = computeSide(rollouts, settings);
  return { outcome: outcomes.find(({ id }) => id === rolloutId) ?? null, cannot };
}
