import { runGroup } from '../../agent/run.ts';
import { deriveSeed } from '../../base/random.ts';
import type { TrajectorySet } from '../../formats/trajectories/shape.ts';
import { ownTrajectoriesOf, recipeOf } from '../../recipes/registry.ts';
import type { SettingsOverride } from '../../recipes/parts/settings.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import { checkFaults, rolloutOverrides } from '../rl/collect.ts';
import type { DemonstrationContext } from '../rl/contracts.ts';
import { Cycle } from '../sampling/cycle.ts';
import { countOwn, GROUP } from './count-own.ts';
import { MAKE_DEFAULTS, makeTrajectories } from './make.ts';

/**
 * The trajectories that stages with a stored loss learn from, of the run's own policy, where no file is given: rollouts
 * on training questions, chosen as the training says.
 */

/** Questions whose rollouts run together. */
const WAVE = 16;

/**
 * Samples them with the policy as it stands. On WASM the same settings and policy give the same.
 * @throws Error where none of the rollouts can be learned from, with what to do
 */
export async function ownTrajectories(
  settings: TrainSettings,
  questions: readonly Question[],
  { agent, runId, signal, onRollout, onEnded }: DemonstrationContext,
): Promise<TrajectorySet> {
  const { temperature, topP } = settings;
  const { overrides, failedWithout, choice } = ownTrajectoriesOf(settings);
  const seed = deriveSeed(settings.seed, 'trajectories');
  const order = new Cycle(questions, seed);
  const count = countOwn(settings, questions.length);
  const asked = Array.from({ length: count.questions }, (_, i) => order.at(i));
  let ended = 0;
  onRollout(ended, count.rollouts);
  const sample = async (name: string, own?: SettingsOverride): Promise<Rollout[]> => {
    const rollouts: Rollout[] = [];
    for (let from = 0; from < asked.length; from += WAVE) {
      const wave = asked.slice(from, from + WAVE).map((question, i) =>
        runGroup(agent, {
          question,
          recipe: recipeOf(settings),
          overrides: rolloutOverrides(settings, { temperature, topP }, own),
          seed: deriveSeed(seed, name, from + i),
          size: GROUP,
          runId,
          step: 0,
          groupId: `${runId}-${name}-${from + i}`,
          onRollout: (rollout) => {
            onRollout(++ended, count.rollouts);
            onEnded?.(rollout);
          },
          ...(signal ? { signal } : {}),
        }),
      );
      rollouts.push(...(await Promise.all(wave)).flat());
      signal?.throwIfAborted();
    }
    checkFaults(rollouts);
    return rollouts;
  };
  const failed = failedWithout ? await sample('before') : null;
  const made = await sample('trajectory', overrides);
  try {
    return makeTrajectories(made, { ...MAKE_DEFAULTS, ...choice, failed });
  } catch (error) {
    throw new Error(
      `own trajectories: ${(error as Error).message}. Give a file of trajectories, or start from a model that answers more.`,
      { cause: error },
    );
  }
}
