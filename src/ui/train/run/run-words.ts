import type { RunRecord, RunStatus } from '../../../lab/contract/records/runs.ts';
import type { TrainPhase, TrainProgress } from '../../../lab/contract/training.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import { scoringOf } from '../../../recipes/parts/curriculum.ts';
import { formatCount, plural } from '../../kit/words/format.ts';
import type { IconName } from '../../kit/Icon.tsx';

/** How the state of a run is said. */

/** An icon that does not depend on fonts, or a sign that all of them have. */
export const STATUS_SIGNS: Record<RunStatus, { icon: IconName } | { sign: string }> = {
  running: { icon: 'play' },
  paused: { icon: 'pause' },
  stopped: { icon: 'stop' },
  finished: { sign: '✓' },
  failed: { sign: '⚠' },
};

/** Names of the phases, and what is counted in them; empty where nothing is. */
const PHASES: Record<TrainPhase, { name: string; unit: string }> = {
  starting: { name: 'starting the engines', unit: '' },
  measuring: { name: 'measuring this device', unit: 'rollouts' },
  demonstrations: { name: 'own trajectories', unit: 'rollouts' },
  'warm-up': { name: 'cold start', unit: 'updates' },
  'make-start': { name: 'handicapped start', unit: 'updates' },
  'scoring-questions': { name: 'scoring questions', unit: 'rollouts' },
  'held-out': { name: 'held-out questions', unit: 'questions' },
  rollouts: { name: 'rollouts', unit: 'rollouts' },
  update: { name: 'update', unit: 'sequences' },
  snapshot: { name: 'snapshot', unit: '' },
};

/** What is done before the first rollouts that are shown, as the beginning of a sentence. */
const BEFORE_ROLLOUTS: Partial<Record<TrainPhase, string>> = {
  measuring: 'This device is measured with a few rollouts',
  demonstrations: 'Cold start: collecting rollouts; the correct ones are imitated',
  'warm-up': 'Cold start: supervised updates on demonstrations',
  'make-start': 'Handicapped start: the model is taught the habit that RL should correct',
  'scoring-questions': 'Questions are rated by how often the model answers them correctly',
};

/** Undefined, as before the first message, the engines start. */
export const beforeRollouts = (phase: TrainPhase | undefined): string =>
  (phase && BEFORE_ROLLOUTS[phase]) ?? 'The engines start';

/** "rollouts 12 / 64": what is being done and how far it is. */
export const phaseText = ({ phase, done, total }: TrainProgress): string =>
  total > 1
    ? `${PHASES[phase].name} ${formatCount(done)} / ${formatCount(total)}`
    : PHASES[phase].name;

/** To the second, so that it moves. */
const elapsed = (seconds: number): string => {
  const whole = Math.floor(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes === 0 ? `${whole} s` : `${minutes} min ${String(whole % 60).padStart(2, '0')} s`;
};

/** What the engines do: "1 m 04 s · 58 tokens/s · 3 rollouts under way". */
export const activityText = ({
  phaseSeconds,
  activity: { doing, tokensPerSecond, tokens, writing },
}: Pick<TrainProgress, 'phaseSeconds' | 'activity'>): string =>
  [
    elapsed(phaseSeconds),
    ...(doing !== null && tokens > 0
      ? [
          `${formatCount(tokens)} tokens ${doing === 'writing' ? 'written' : 'computed'}`,
          `${formatCount(Math.round(tokensPerSecond))} tokens/s`,
        ]
      : []),
    ...(writing > 0 ? [`${plural(writing, 'rollout')} under way`] : []),
  ].join(' · ');

/** How far the step is, where the count beside it is of one of its phases; empty before a step. */
export const stepShareText = ({ phase, share }: Pick<TrainProgress, 'phase' | 'share'>): string =>
  phase === 'rollouts' || phase === 'update'
    ? `about ${Math.round(share * 100)} % of the step`
    : '';

/** The actions that a run allows now. */
export interface RunActions {
  resume: boolean;
  stop: boolean;
}

/** Whether it could only begin again: what is there was made elsewhere, and no snapshot came with it. */
const hasNoSnapshot = ({ importedStep = 0, checkpointStep, step }: RunRecord): boolean =>
  importedStep > 0 && step > 0 && checkpointStep === null;

/** A run that starts again tries the same rollouts, and again finds none of them right. */
const endsInWarmUp = ({ failure }: RunRecord): boolean => failure?.kind === 'no-demonstrations';

/** A run of a cold start only, which ended before it was over. */
const isWithinColdStart = ({ settings, status }: RunRecord): boolean =>
  settings.steps === 0 && status !== 'finished';

/** A run that reached its last step has nothing to continue with. */
export const actionsOf = (run: RunRecord): RunActions => ({
  stop: run.status === 'running',
  resume:
    run.status !== 'running' &&
    (run.step < run.settings.steps || isWithinColdStart(run)) &&
    !hasNoSnapshot(run) &&
    !endsInWarmUp(run),
});

/** Whether something that is made before the first step is stored, and no step: the run continues from there. */
export const isPrepared = ({ checkpointStep, step }: RunRecord): boolean =>
  step === 0 && checkpointStep === 0;

/**
 * Whether there is an adapter that learned something: after a step, or after a warm-up or a start before it. What
 * scores questions stores one that is as it began.
 */
export const hasAdapter = (run: RunRecord): boolean =>
  run.checkpointStep !== null &&
  run.untrained !== true &&
  (run.checkpointStep > 0 || run.settings.warmUp !== null || (run.before ?? []).length > 0);

/** Whether it made all its steps and none had a gradient. */
export const learnedNothing = ({ status, untrained }: RunRecord): boolean =>
  status === 'finished' && untrained === true;

/** What the button is called that lets a run continue, and what it does. */
export const goOnWords = (run: RunRecord): { name: string; title: string } => {
  if (run.step > 0)
    return {
      name: `Resume after step ${formatCount(run.step)}`,
      title: 'Continues from the last good snapshot',
    };
  if (isPrepared(run))
    return { name: 'Go on', title: 'Continues with what was made before step 1' };
  // A notice tells of an interruption, after which it would start again.
  return run.sweep && run.status === 'paused' && run.notice === null
    ? { name: 'Start', title: 'Begins this run of the sweep before its turn' }
    : { name: 'Start again', title: 'Only its settings were stored' };
};

/** What a run does before step 1, each with a name and a bar of its own. */
export interface Stage {
  name: string;
  state: 'done' | 'active' | 'waiting';
  /** Of the active one: done and wanted; 0 while nothing is counted. */
  done: number;
  total: number;
}

interface StageOf {
  name: string;
  phase: TrainPhase;
}

/** In the order in which a run makes them. */
const stagesOfSettings = ({
  warmUp,
  start,
  curriculum,
  heldOut,
  steps,
}: TrainSettings): StageOf[] => [
  ...(warmUp?.own ? [{ name: 'Warm-up: rollouts', phase: 'demonstrations' as const }] : []),
  ...(warmUp ? [{ name: 'Warm-up: updates', phase: 'warm-up' as const }] : []),
  ...(steps > 0 && scoringOf(curriculum)
    ? [{ name: 'Rating questions', phase: 'scoring-questions' as const }]
    : []),
  ...((start ?? 'searching') === 'searching'
    ? []
    : [{ name: 'Handicapped start', phase: 'make-start' as const }]),
  ...(heldOut.questions > 0 && steps > 0 ? [{ name: 'Baseline', phase: 'held-out' as const }] : []),
];

/**
 * The stages before step 1 while one of them is under way; empty from the first rollouts on.
 * @param step steps that are made
 */
export function stagesOf(
  settings: TrainSettings,
  { phase, done, total }: Pick<TrainProgress, 'phase' | 'done' | 'total'>,
  step: number,
): Stage[] {
  if (step > 0 || phase === 'rollouts' || phase === 'update') return [];
  const stages = stagesOfSettings(settings);
  // Engines start, and the device is measured, before all of them.
  const at = stages.findIndex((stage) => stage.phase === phase);
  return stages.map(({ name }, i): Stage => {
    if (i !== at) return { name, state: i < at ? 'done' : 'waiting', done: 0, total: 0 };
    return { name, state: 'active', done, total };
  });
}
