import type { TrainPhase, TrainProgress } from '../../../lab/contract/training.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';

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
  ...(warmUp?.from === 'own'
    ? [{ name: 'Warm-up: rollouts', phase: 'demonstrations' as const }]
    : []),
  ...(warmUp ? [{ name: 'Warm-up: updates', phase: 'warm-up' as const }] : []),
  ...(steps > 0 && (curriculum.kind === 'difficulty' || (curriculum.leaveOut ?? []).length > 0)
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
