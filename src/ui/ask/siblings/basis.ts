import { isHeldOutGroup } from '../../../records/training.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { BUILT_IN_SETUP } from '../../../records/setup.ts';
import type { EvaluableRun } from '../../../lab/contract/evaluations.ts';
import type { PolicyChoice } from '../../../lab/contract/settings.ts';
import { evaluationOfFile } from '../../../lab/rollouts/own-runs.ts';
import { lab, need } from '../../lab/connection.ts';
import { useSession } from '../../kit/session-store.ts';
import { useSetup } from '../../setup/setup-store.ts';
import type { RecordPlace } from '../store/permalink.ts';
import { type RecordSource, useAsk } from '../store/ask-store.ts';
import { evaluationBasis, type EvaluationParts } from './evaluation-basis.ts';
import { readAdapters } from '../store/actions.ts';

/** Finds the policy and sources needed to fork an imported or stored rollout. */

/** The policy and sources of a fork, or why it is impossible. */
export type Basis =
  | Omit<RecordSource, 'place'>
  /** Why it cannot be forked, as the end of a sentence. */
  | { why: string };

const named = ({ id, revision }: { id: string; revision: string }): string => `${id} ${revision}`;

/** Resolves to id and revision of the loaded policy, or to the reason why it could not be loaded. */
const loadedPolicy = (): Promise<{ id: string; revision: string } | { why: string }> =>
  new Promise((resolve) => {
    need('policy', 'sources');
    const look = (): boolean => {
      const { parts, policy, labFailure } = useSession.getState();
      const failure = labFailure ?? parts.policy.failure;
      if (parts.policy.status === 'ready' && policy) resolve(policy);
      else if (failure) resolve({ why: `the model could not be loaded: ${failure.message}` });
      else return false;
      return true;
    };
    if (look()) return;
    const stop = useSession.subscribe(() => {
      if (look()) stop();
    });
  });

/** The stored adapter that a record names. */
const adapterNamed = (
  runs: readonly EvaluableRun[],
  name: string,
): Extract<PolicyChoice, { kind: 'run' }> | null => {
  for (const { id: run, steps } of runs)
    for (const step of steps) if (name === `${run}-step-${step}`) return { kind: 'run', run, step };
  return null;
};

/** Run id of evaluation rollouts, as in their records. */
const OF_EVALUATION = 'evaluation';

/** The longest result list that is compared. */
const MOST = 10;

/**
 * Whether this page searches the same passages as the rollout did: its first results must be found
 * again, with the same text. Third-party search engines are not queried for this.
 * @returns why not; null if they are the same
 */
async function whyOtherSources({ events, question, recipe }: Rollout): Promise<string | null> {
  const { web } = useSetup.getState().setup;
  const { retrieval } = recipe.settings;
  const summarized =
    typeof retrieval === 'object' &&
    retrieval !== null &&
    'summarize' in retrieval &&
    retrieval.summarize === 'on';
  for (const event of events) {
    if (event.kind !== 'retrieve' && event.kind !== 'background') continue;
    const hit = event.hits.find(
      ({ source }) => source === 'local' || (web.kind === 'built-in' && source === 'web'),
    );
    if (!hit) continue;
    const { hits } = await lab().ask.search(hit.source, event.query, MOST);
    const here = new Map(hits.map(({ passage }) => [passage.id, passage]));
    const again = event.hits.some(({ passage: { id, text } }) => {
      const found = here.get(id);
      return found !== undefined && (summarized || found.text === text);
    });
    return again
      ? null
      : 'Ask searches other passages than this rollout found; choose its passages under “Model and data” in Ask';
  }
  const known = await lab().ask.question(question.id);
  return known?.text === question.text
    ? null
    : 'it found no passages, so its sources are unknown, and its question is not in Ask’s list';
}

/** For a record without provenance: the page's setup, if it wrote the rollout. */
async function recordBasis(rollout: Rollout): Promise<EvaluationParts | { why: string }> {
  const { policy, runId, step, groupId, training } = rollout;
  const { setup } = useSetup.getState();
  if (typeof policy.adapter === 'string') {
    const asked = adapterNamed(useAsk.getState().adapters ?? [], policy.adapter);
    const run = asked && (await lab().train.runs()).find(({ id }) => id === asked.run);
    if (!asked || !run)
      return { why: `the adapter “${policy.adapter}”, which wrote it, is not in this browser` };
    const why = await whyOtherSources(rollout);
    const ref = (run.setup ?? BUILT_IN_SETUP).policy;
    return why === null ? { setup: { ...setup, policy: ref }, policy: asked } : { why };
  }
  if (step > 0 || training || isHeldOutGroup(groupId))
    return {
      why: 'its training run, and so the adapter that wrote it, is not in this browser',
    };
  // Current records state it: null means no adapter.
  if (runId === OF_EVALUATION && policy.adapter === undefined)
    return {
      why: 'its evaluation does not record whether an adapter was used; open it in Evaluate, or evaluate again',
    };
  const here = await loadedPolicy();
  if ('why' in here) return here;
  if (here.id !== policy.id || here.revision !== policy.revision)
    return {
      why: `${named(policy)} wrote it, but Ask uses ${named(here)}; choose its model under “Model and data” in Ask`,
    };
  const why = await whyOtherSources(rollout);
  return why === null ? { setup } : { why };
}

/**
 * Resolves how a rollout can be continued, or why it cannot; loads the policy and the sources.
 * @throws Error if storage or a source does not answer
 */
export async function basisOf(place: RecordPlace, rollout: Rollout): Promise<Basis> {
  await readAdapters();
  const evaluation = evaluationOfFile(place.file);
  if (evaluation !== null) return evaluationBasis(evaluation, rollout);
  const basis = await recordBasis(rollout);
  if ('why' in basis) return basis;
  const files = await lab().rollouts.files();
  return { name: files.find(({ id }) => id === place.file)?.name ?? 'a file', ...basis };
}
