import { sum } from '../../base/statistics.ts';
import { normalise, SQUAD } from '../../agent/answers/normalisers.ts';
import { scoringFacts, type ScoringFacts } from '../../evaluate/rollouts/rescore/facts.ts';
import { scorerOf } from '../../evaluate/rollouts/rescore/scorers.ts';
import { importRollouts } from '../../formats/rollouts/import.ts';
import { writeRollout } from '../../formats/rollouts/write.ts';
import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import { totalReward } from '../../learn/rewards/index.ts';
import { rewardById } from '../../learn/rewards/registry.ts';
import type { RewardClause, Rollout } from '../../records/rollout.ts';
import type { GoldenCase } from './cases.ts';
import { replay } from './replay.ts';
import { STEP_TOTALS, systemOf, type ForageValue } from './systems.ts';

/** Values of golden cases beside ours, live and scored again as a file of another system. */

/** A value that differs from the released one. */
export interface Difference {
  id: number;
  system: string;
  kind: string;
  golds: readonly string[];
  /** The released function, or which of its values. */
  value: string;
  released: number;
  live: number | null;
  /** Null where the file lacks the inputs to compute it. */
  rescored: number | null;
  /** The stated reason of the difference; null without one. */
  stated: string | null;
}

export interface Compared {
  differences: Difference[];
  /** Values that a file cannot give. */
  notComputed: number;
}

const TOLERANCE = 1e-9;
const near = (a: number, b: number): boolean => Math.abs(a - b) <= TOLERANCE;

const EMPTY_GOLD =
  'The normaliser leaves nothing of the gold answer. Ours keeps its articles, so that "the" is no answer to "a", and the same text has F1 1; the released functions compare empty texts.';

/** The difference that every system's notes state (`SHARED_DIFFERENCES`). */
const statedFor = ({ golds }: GoldenCase): string | null =>
  golds.some((gold) => normalise(gold, SQUAD) === '') ? EMPTY_GOLD : null;

const wanted =
  ({ without = [], only }: Extract<ForageValue, { reward: string }>) =>
  ({ clause }: RewardClause): boolean =>
    !without.includes(clause) && (only === undefined || clause === only);

/** Our value; null where the facts cannot give it. */
function ownValue(of: ForageValue, facts: ScoringFacts): number | null {
  if ('faultless' in of)
    return facts.output && Number(of.faultless.faults(facts.output, facts.golds).length === 0);
  const reward = rewardById(of.reward);
  if (!reward) throw new Error(`there is no reward "${of.reward}"`);
  const { clauses, lacks } = scorerOf(reward).score(facts);
  return lacks.length > 0 ? null : totalReward(clauses.filter(wanted(of)));
}

/** The rollout as a verl file: prompt, response, gold answers. */
async function asForeign(rollout: Rollout): Promise<ImportedRollout> {
  const line = writeRollout(rollout, 'verl');
  for await (const item of importRollouts(new Blob([line]), 'golden.jsonl'))
    if (item.kind === 'rollout') return item.rollout;
  throw new Error(`the rollout ${rollout.id} cannot be read back`);
}

/** Totals of StepSearch, which its trainer makes of a score and the scores of steps. */
function totalsOf({ released }: GoldenCase): Record<string, number> {
  const at = (key: string): number[] => [released[key] ?? []].flat();
  const score = sum(at('qa_step.compute_score_f1_steps_plan_with_support_docs'));
  return {
    [STEP_TOTALS.all]: score + 0.6 * sum(at('step_scores')),
    [STEP_TOTALS.withoutGain]: score + 1.6 * sum(at('step_scores, information_gain off')),
  };
}

export async function compare(golden: GoldenCase): Promise<Compared> {
  const { id, system, kind, subkind, golds, released } = golden;
  const rollout = await replay(golden);
  const live = scoringFacts(rollout);
  const again = scoringFacts(await asForeign(rollout));
  const theirs = system === 'step-search' ? totalsOf(golden) : released;
  let notComputed = 0;
  const differences = Object.entries(systemOf(system).values).flatMap(
    ([value, of]): Difference[] => {
      const released = theirs[value];
      if (typeof released !== 'number') return [];
      const [own, rescored] = [ownValue(of, live), ownValue(of, again)];
      if (rescored === null) notComputed++;
      const same =
        own !== null && near(own, released) && (rescored === null || near(rescored, released));
      if (same) return [];
      const what = subkind === undefined ? kind : `${kind}, ${subkind}`;
      return [
        {
          id,
          system,
          kind: what,
          golds,
          value,
          released,
          live: own,
          rescored,
          stated: statedFor(golden),
        },
      ];
    },
  );
  return { differences, notComputed };
}
