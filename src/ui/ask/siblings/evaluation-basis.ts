import type { EvaluatedRollout, EvaluatedSystem } from '../../../evaluate/systems/result.ts';
import type {
  EvaluatedPolicy,
  EvaluationSpec,
  QuestionsSource,
} from '../../../evaluate/systems/spec.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { BUILT_IN_SETUP, type Setup } from '../../../records/setup.ts';
import { type RecordSource, useAsk } from '../store/ask-store.ts';
import { lab } from '../../lab/connection.ts';

/** The policy and sources of a rollout, from its evaluation. */

/** The policy and sources of a fork. */
export type EvaluationParts = Pick<RecordSource, 'setup' | 'policy'>;

/** Why no fork is possible here, as the second half of a sentence. */
type Why = { why: string };

/** Rows of several policies have the policy in their id: `search@run-x-step-20`. */
function policyOf(
  { policies }: Pick<EvaluationSpec, 'policies'>,
  { id }: Pick<EvaluatedSystem, 'id'>,
): EvaluatedPolicy | null {
  const [first, second] = policies;
  if (first && !second) return first;
  const key = id.split('@')[1] ?? '';
  const named = policies.find((one) =>
    one.kind === 'run'
      ? one.step === null
        ? key.startsWith(`${one.run}-step-`)
        : key === `${one.run}-step-${one.step}`
      : one.kind === 'base' && 'id' in one.policy && one.policy.id === key,
  );
  // Otherwise it is the built-in policy.
  return (
    named ?? policies.find((one) => one.kind === 'base' && one.policy.kind === 'built-in') ?? null
  );
}

/** The prefix of a question set’s ids in an evaluation; empty for sets of the command line. */
const setKey = (source: QuestionsSource): string => {
  switch (source.kind) {
    case 'built-in':
      return 'built-in';
    case 'fresh':
      return `seed${source.seed}`;
    case 'collections':
      return `imported-${source.ids.join('-')}`;
    case 'files':
      return '';
  }
};

/** The sources and questions, without the policy. */
async function sourcesOf(spec: EvaluationSpec, question: string): Promise<Setup | Why> {
  const set = spec.questions.find((one) => question.startsWith(`${setKey(one)}/`));
  if (set?.kind === 'fresh')
    return {
      why: `its evaluation generated a world from seed ${set.seed}, and Ask cannot search generated worlds`,
    };
  if (!set || set.kind === 'files')
    return { why: 'its questions come from files named on the command line, which are not here' };
  const [places, more] = [
    ...new Set(spec.retrieval.map(({ local, web }) => JSON.stringify({ local, web }))),
  ];
  if (places === undefined || more !== undefined)
    return {
      why: 'its evaluation searches several corpora, and the rollout does not say which one it used',
    };
  const { local = BUILT_IN_SETUP.local, web = BUILT_IN_SETUP.web } = spec.retrieval[0] ?? {};
  const needed = [
    ...(local.kind === 'collections' ? local.ids : []),
    ...(set.kind === 'collections' ? set.ids : []),
  ];
  if (needed.length > 0) {
    const here = new Set((await lab().collections.list()).map(({ id }) => id));
    if (needed.some((id) => !here.has(id)))
      return { why: 'a collection of its evaluation is not in this browser any more' };
  }
  return {
    ...BUILT_IN_SETUP,
    local,
    web,
    questions:
      set.kind === 'collections' ? { kind: 'collections', ids: set.ids } : { kind: 'built-in' },
    summarizer: spec.summarizer,
  };
}

/** The step in the row's text, if the evaluation asked for the newest snapshot. */
const stepOf = ({ policy }: Pick<EvaluatedSystem, 'policy'>): number | null => {
  const step = /, step (\d+)$/.exec(policy)?.[1];
  return step === undefined ? null : Number(step);
};

/** Adds the policy that wrote it; for an adapter exactly that step, which must be stored. */
async function withPolicy(
  setup: Setup,
  asked: EvaluatedPolicy | null,
  system: EvaluatedSystem,
): Promise<EvaluationParts | Why> {
  if (!asked || asked.kind === 'folders')
    return { why: 'its model comes from a folder named on the command line, which is not here' };
  if (asked.kind === 'base') return { setup: { ...setup, policy: asked.policy } };
  const step = asked.step ?? stepOf(system);
  const kept = useAsk.getState().adapters?.find(({ id }) => id === asked.run);
  const run = (await lab().train.runs()).find(({ id }) => id === asked.run);
  if (!run || step === null || !kept?.steps.includes(step))
    return { why: `the adapter “${system.policy}”, which wrote it, is not in this browser` };
  const { policy } = run.setup ?? BUILT_IN_SETUP;
  return { setup: { ...setup, policy }, policy: { kind: 'run', run: run.id, step } };
}

/** @throws Error if storage does not answer */
export async function evaluationBasis(
  evaluation: string,
  { id }: Pick<Rollout, 'id'>,
): Promise<Omit<RecordSource, 'place'> | Why> {
  const { evaluations } = lab();
  const record = (await evaluations.list()).find((one) => one.id === evaluation);
  if (!record || record.deletedAt !== null)
    return { why: 'its evaluation is not in this browser any more' };
  const { rollouts, systems } = await evaluations.result(evaluation);
  const made: EvaluatedRollout | undefined = rollouts.find(({ rollout }) => rollout === id);
  const system = made && systems.find((one) => one.id === made.system);
  if (!made || !system) return { why: 'its evaluation no longer contains this rollout' };
  const setup = await sourcesOf(record.spec, made.question);
  if ('why' in setup) return setup;
  const parts = await withPolicy(setup, policyOf(record.spec, system), system);
  return 'why' in parts ? parts : { name: record.name, ...parts };
}
