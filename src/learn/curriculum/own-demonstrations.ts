import { deriveSeed } from '../../base/random.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import { recipeOf } from '../../recipes/registry.ts';
import type { TrainSettings, WarmUpSettings } from '../../recipes/parts/training.ts';
import type { AgentDeps } from '../../agent/request.ts';
import { runGroup } from '../../agent/run.ts';
import { checkFaults, rolloutOverrides } from '../rl/collect.ts';
import type { DemonstrationContext, Demonstrations } from '../rl/contracts.ts';
import { Cycle } from '../cycle.ts';
import { NoisyRetriever } from './noisy-retriever.ts';

/**
 * D_init of KunLunBaizeRAG (arXiv 2506.19466), equation (14), from the policy itself: the same questions
 * are worked on once with the retriever as it is and once with results into which noise is mixed. Right
 * rollouts that keep to the protocol are what is learned from, as in rejection sampling. The paper takes
 * trajectories of other models; these need no file, and are of the very loop that is trained.
 */

/** Share of a noisy result's passages that is noise; (14) gives none. */
const NOISE = 0.5;

/** Rollouts that run together. */
const WAVE = 64;

/** None of a run's own rollouts can be learned from: another policy, other questions or no warm-up is wanted. */
export class NoDemonstrations extends Error {
  override readonly name = 'NoDemonstrations';

  constructor(tried: number) {
    super(
      `warm-up: none of ${tried} rollouts was correct in the recipe's format, so there is ` +
        'nothing to imitate',
    );
  }
}

const isDemonstration = ({ metrics }: Rollout): boolean => metrics?.em === 1 && metrics.formatValid;

/** The tries: question by question, clean and noisy in turn. */
function triesOf(
  settings: TrainSettings,
  questions: readonly Question[],
  count: number,
): { question: Question; seed: number; noisy: boolean }[] {
  const seed = deriveSeed(settings.seed, 'demonstrations');
  const order = new Cycle(questions, seed);
  return Array.from({ length: count }, (_, i) => ({
    question: order.at(Math.floor(i / 2)),
    seed: deriveSeed(seed, 'rollout', i),
    noisy: i % 2 === 1,
  }));
}

/**
 * Samples the tries with the policy as it stands. On WASM the same settings and policy give the same.
 * @throws NoDemonstrations where none of them is right
 */
export async function ownDemonstrations(
  settings: TrainSettings,
  { rollouts: count }: NonNullable<WarmUpSettings['own']>,
  questions: readonly Question[],
  { agent, runId, signal, onRollout, onEnded }: DemonstrationContext,
): Promise<Demonstrations> {
  const tries = triesOf(settings, questions, count);
  const recipe = recipeOf(settings);
  const depsOf = (question: Question, seed: number, noisy: boolean): AgentDeps => {
    if (!noisy) return agent;
    const { supporting } = question;
    const options = { strength: NOISE, seed, supporting };
    return { ...agent, retriever: new NoisyRetriever(agent.retriever, options) };
  };
  const rollouts: Rollout[] = [];
  let ended = 0;
  onRollout(ended, tries.length);
  for (let from = 0; from < tries.length; from += WAVE) {
    const wave = tries.slice(from, from + WAVE).map(({ question, seed, noisy }, i) =>
      runGroup(depsOf(question, seed, noisy), {
        question,
        recipe,
        overrides: rolloutOverrides(settings, settings.temperature),
        seed,
        size: 1,
        runId,
        step: 0,
        groupId: `${runId}-demonstration-${from + i}`,
        onRollout: (rollout) => {
          onRollout(++ended, tries.length);
          onEnded?.(rollout);
        },
        ...(signal ? { signal } : {}),
      }),
    );
    rollouts.push(...(await Promise.all(wave)).flat());
    signal?.throwIfAborted();
  }
  checkFaults(rollouts);
  const right = (wanted: boolean): Rollout[] =>
    rollouts.filter((one, i) => isDemonstration(one) && (i % 2 === 1) === wanted);
  const made = { gold: right(false), noisy: right(true), tried: rollouts.length };
  if (made.gold.length + made.noisy.length === 0) throw new NoDemonstrations(rollouts.length);
  return made;
}
