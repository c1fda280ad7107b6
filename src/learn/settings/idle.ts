import { sum } from '../../base/statistics.ts';
import { isStored } from '../../recipes/parts/stage-loss.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { rightTeach } from '../objective.ts';
import { itemAt } from '../../base/items.ts';

/**
 * Settings that hold a value and do nothing beside the others: a run with another value of them is the same run. They
 * are no clash (`switches.ts`), since a recipe has to write down some value.
 */

interface Rule {
  /** Whole paths, or what begins them, with a dot at the end. */
  paths: readonly string[];
  /** Why they do nothing; null where they may do something. */
  readonly because: (settings: TrainSettings) => string | null;
}

const where = (idle: boolean, because: string): string | null => (idle ? because : null);

const supervised = ({ stages }: TrainSettings): boolean =>
  stages.every(({ loss }) => loss !== undefined);

const trainsOnlyRouter = ({ router, stages }: TrainSettings): boolean =>
  router.train === 'alone' && !stages.some(({ loss }) => isStored(loss));

const ALONE = 'only the router is trained, and the policy gets no update';

const RULES: readonly Rule[] = [
  {
    paths: ['objective.', 'updates'],
    because: (settings) => where(trainsOnlyRouter(settings), ALONE),
  },
  {
    // A warm-up and a start are updates of the policy too.
    paths: ['optimizer.'],
    because: (settings) =>
      where(
        trainsOnlyRouter(settings) && settings.warmUp === null && settings.start === undefined,
        ALONE,
      ),
  },
  {
    paths: [
      'updates',
      'objective.estimator',
      'objective.estimator.',
      'objective.clip.',
      'objective.dualClip',
      'objective.aggregation',
      'objective.aggregation.',
    ],
    because: (settings) =>
      where(supervised(settings), 'every stage learns by supervision, without advantages'),
  },
  {
    paths: ['objective.kl.coefficient', 'objective.kl.form'],
    because: (settings) => {
      const { place } = settings.objective.kl;
      if (place === 'off') return 'the KL penalty is off (objective.kl.place)';
      return where(
        place === 'loss' && supervised(settings),
        'every stage learns by supervision, whose loss has no KL',
      );
    },
  },
  {
    paths: ['dynamicSampling.'],
    because: ({ router }) =>
      where(
        router.train === 'alone',
        'only the router is trained, and it learns from every sampled group',
      ),
  },
  {
    paths: ['router.learningRate'],
    because: ({ router }) =>
      where(router.train === 'off', 'the router is not trained (router.train)'),
  },
];

const STAGE = /^stages\.(\d+)\.(.+)$/;

/** Of a stage: one that never begins, and the steps of the last one, which takes what is left. */
function stageBecause({ stages, steps }: TrainSettings, path: string): string | null {
  const [, at, key] = STAGE.exec(path) ?? [];
  if (at === undefined) return null;
  const place = Number(at);
  if (place > 0 && sum(stages.slice(0, place).map((stage) => stage.steps)) >= steps)
    return `stage ${place + 1} never starts: the run ends after ${steps} steps`;
  // Supervision in rounds counts them.
  return where(
    key === 'steps' && place === stages.length - 1 && stages[place]?.loss === undefined,
    'the last stage takes all remaining steps',
  );
}

const covers = (of: string, path: string): boolean =>
  of.endsWith('.') ? path.startsWith(of) : path === of;

/**
 * Why a setting does nothing beside the others, as the end of a sentence; null where it may do something.
 * @param path `objective.kl.coefficient`
 */
export function idleBecause(settings: TrainSettings, path: string): string | null {
  for (const { paths, because } of RULES) {
    if (!paths.some((of) => covers(of, path))) continue;
    const found = because(settings);
    if (found !== null) return found;
  }
  return stageBecause(settings, path);
}

/** Estimators that leave a group of equal rewards at 0: whitening over the batch moves it away, and a critic compares with its values. */
const COMPARES: readonly TrainSettings['objective']['estimator'][] = [
  'grpo',
  'trl-grpo',
  'dr-grpo',
  'rloo',
];

/**
 * Whether a group whose rewards are all equal teaches nothing in a stage: only where its own mean is what its rewards are
 * compared with, and nothing else gives its tokens a weight. Supervision, and terms on right rollouts, learn of each by itself.
 */
export function equalTeachNothing(
  { objective, stages }: Pick<TrainSettings, 'objective' | 'stages'>,
  stage: number,
): boolean {
  const { estimator, credit, kl } = objective;
  return (
    itemAt(stages, stage, 'stages').loss === undefined &&
    COMPARES.includes(estimator) &&
    credit !== 'span' &&
    kl.place !== 'reward' &&
    !rightTeach(objective)
  );
}
