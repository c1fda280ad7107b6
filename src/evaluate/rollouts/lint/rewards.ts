import { normalise, SQUAD } from '../../../agent/answers/normalisers.ts';
import { R1_SEARCHER } from '../../../systems/r1-searcher/normaliser.ts';
import { answerScores, type AnswerScores } from '../../../agent/answers/scores.ts';
import { goldsToScore, type ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import { finding, type Finding } from './finding.ts';

/** Rewards against what they are said to be made of. */

const TOLERANCE = 1e-4;

const near = (a: number, b: number): boolean =>
  Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a), Math.abs(b));

/** By which files may have counted the scores that they state. */
const NORMALISERS = [SQUAD, R1_SEARCHER];

/** Scores under the names by which files state them. */
const SCORES: ReadonlyMap<string, keyof AnswerScores> = new Map([
  ['em', 'em'],
  ['exact_match', 'em'],
  ['f1', 'f1'],
  ['cover_em', 'coverEm'],
  ['sub_em', 'subEm'],
]);

/** Scores that the record states by name: its metrics, its clauses, and extra keys of the original. */
function stated(
  rollout: ImportedRollout,
): { name: string; score: keyof AnswerScores; value: number }[] {
  const { metrics, rewards, origin } = rollout;
  const entries: [string, unknown][] = [
    ...(metrics
      ? (['em', 'f1', 'cover_em'] as const).map((k): [string, unknown] => [k, metrics[k]])
      : []),
    ...rewards.map(({ clause, value }): [string, unknown] => [clause, value]),
    ...Object.entries(origin?.fields ?? {}),
  ];
  return entries.flatMap(([name, value]) => {
    const score = SCORES.get(name);
    return typeof value === 'number' && score ? [{ name, score, value }] : [];
  });
}

/**
 * A stated score that the record's own answer does not have, whichever normaliser it was counted with. Gold
 * answers that a normaliser empties are passed over: the published functions differ from ours there.
 */
export function statedScores(rollout: ImportedRollout): Finding[] {
  const answers = goldsToScore(rollout);
  const emptied = answers.some((gold) => NORMALISERS.some((by) => normalise(gold, by) === ''));
  const claims = stated(rollout);
  if (answers.length === 0 || emptied || claims.length === 0) return [];
  const own = NORMALISERS.map((by) => answerScores(rollout.answer, answers, by));
  const [squad] = own;
  const wrong = claims.find(
    ({ score, value }) => !own.some((scores) => near(scores[score], value)),
  );
  if (!wrong || !squad) return [];
  const { name, score, value } = wrong;
  const message = `The record states ${name} ${value}; its answer scores ${squad[score].toFixed(3)}.`;
  return [finding(rollout, 'reward-misplaced', message)];
}

const weighted = (rollout: ImportedRollout, power: number): number =>
  rollout.rewards.reduce((sum, { value, weight }) => sum + weight ** power * value, 0);

/** The reward against the sum of its clauses: another rollout's, or weights applied twice. */
export function clauseSum(rollout: ImportedRollout): Finding[] {
  const { reward, rewards } = rollout;
  if (reward === null || rewards.length === 0) return [];
  const sum = weighted(rollout, 1);
  if (near(sum, reward)) return [];
  const clauses = `Its clauses sum to ${sum.toFixed(4)}, the reward is ${reward.toFixed(4)}`;
  if (near(weighted(rollout, 2), reward)) {
    const message = `${clauses}: every weight was applied twice.`;
    return [finding(rollout, 'reward-scaled-twice', message, evidenceOf(rollout))];
  }
  return [finding(rollout, 'reward-misplaced', `${clauses}.`, evidenceOf(rollout))];
}

const evidenceOf = ({ rewards }: ImportedRollout): Finding['where'] =>
  rewards.flatMap(({ evidence }) => evidence);

/** Per-step rewards on tokens: within the clause's own segments they must sum to weight · value. */
export function tokenRewardsScaled(rollout: ImportedRollout): Finding[] {
  return rollout.rewards.flatMap(({ clause, value, weight, evidence }) => {
    const segments = [...new Set(evidence.map(({ segment }) => segment))];
    const lists = segments.map((i) => rollout.segments[i]?.tokenRewards);
    if (weight === 0 || weight === 1 || value === 0 || lists.length === 0) return [];
    if (lists.some((list) => !list)) return [];
    const sum = lists.flat().reduce<number>((total, v) => total + (v ?? 0), 0);
    if (near(sum, weight * value) || !near(sum, weight ** 2 * value)) return [];
    const message = `The token rewards of ${clause} sum to ${sum.toFixed(4)}: ${weight} was applied twice to ${value}.`;
    return [finding(rollout, 'reward-scaled-twice', message, [...evidence])];
  });
}
