import { probe } from '../../learn/run/probe.ts';
import type { Probe } from '../../learn/run/probe-shape.ts';
import { trainingMemory, type TrainingMemory } from '../../learn/replicas/training-memory.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { Setup } from '../../records/setup.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { Router } from '../../agent/router/router.ts';
import type { Summarizer } from '../../retrieval/summarize/summarizer.ts';
import type { WorldQuestion } from '../../retrieval/world/manifest.ts';
import type { StartFrom } from '../contract/training.ts';
import type { DeviceView } from '../models/serving/device-limits.ts';
import { trainingQuestion, type PolicyFacts } from '../models/serving/policy-facts.ts';
import type { RunEngines } from './engines.ts';
import { rolloutsAtOnce } from './pace/estimate.ts';

/** What this device needs for a run, and how fast it is. */

/** A model on a device, as evaluations name it too. */
export const modelOn = (
  { id, revision }: Pick<PolicyFacts, 'id' | 'revision'>,
  { device }: Pick<DeviceView, 'device'>,
): string => `${id} ${revision} ${device}`;

/** What a probe depends on: another recipe, model or source has other rollouts and other rates. */
export function probeKey(
  { recipe, overrides, stages, temperature, adapter }: TrainSettings,
  facts: PolicyFacts,
  view: DeviceView,
  { local, web, questions }: Setup,
  start?: StartFrom,
): string {
  const { contexts, weights } = facts;
  return JSON.stringify([
    modelOn(facts, view),
    view.engines,
    [weights, contexts?.keys],
    [recipe, overrides, stages[0]?.overrides, stages[0]?.reward],
    [temperature, adapter],
    [local, web, questions],
    ...(start ? [[start.run, start.step]] : []),
  ]);
}

/** What the run holds in memory, and what would fit if it does not. */
export const memoryFor = (
  settings: TrainSettings,
  facts: PolicyFacts,
  view: DeviceView,
): TrainingMemory =>
  trainingMemory(
    {
      ...trainingQuestion(facts, view),
      adapter: settings.adapter,
      rollouts: rolloutsAtOnce(settings),
    },
    view.gpu,
  );

export interface MeasureParts {
  settings: TrainSettings;
  facts: PolicyFacts;
  view: DeviceView;
  engines: RunEngines;
  world: { questions: readonly WorldQuestion[]; retriever: Retriever; router: Router };
  summarizer: Summarizer | null;
  /** The adapter that the run starts from; null: a new one. */
  startAdapter: Float32Array | null;
  signal: AbortSignal;
  onProgress: (doing: string) => void;
}

/** A probe of a run that is not started. @throws the signal's reason; Error as text */
export function measure({
  settings,
  facts,
  view,
  engines,
  world,
  summarizer,
  startAdapter,
  signal,
  onProgress,
}: MeasureParts): Promise<Probe> {
  const { questions, retriever, router } = world;
  const trained = questions.filter(({ split }) => split === 'train');
  const now = (): number => performance.timeOrigin + performance.now();
  return probe({
    settings,
    agent: { policy: engines.policy, retriever, router, summarizer, now },
    learner: engines.learner,
    config: engines.config,
    startAdapter,
    questions: trained.length > 0 ? trained : questions,
    engines: view.engines,
    slots: trainingQuestion(facts, view).contexts.maxSlots,
    signal,
    onProgress,
  });
}
