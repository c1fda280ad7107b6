import { shareInterval } from '../../../base/statistics.ts';
import { heldOutScores } from '../../../evaluate/held-out-scores.ts';
import type { HeldOutScore, TrainStep } from '../../../records/training.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import { collapseText, paperOptimum, type RewardSettings } from '../../../agent/router/reward.ts';
import { equalTeachNothing } from '../../../learn/settings/idle.ts';
import { overridesInForce } from '../../../learn/settings/overrides.ts';
import { recipeOf } from '../../../systems/index.ts';
import { isStored } from '../../../recipes/parts/stage-loss.ts';
import { withOverrides } from '../../../recipes/parts/settings.ts';
import type { ChartSpec, Series } from '../../kit/charts/series.ts';
import { formatNumber, formatShare } from '../../kit/words/format.ts';
import {
  type ChartedRun,
  FIRST_SCORE,
  FIRST_STEP,
  heldOut,
  line,
  namesOf,
  spec,
  type Steps,
  unreported,
  withRollouts,
} from './chart-parts.ts';
import type { StieCounts } from '../../../records/stie.ts';
import { repeatedAnswers } from '../../../agent/stie-counts.ts';

/** What the KL weighs, where its coefficient changes from step to step; else it is in the settings. */
const klCoefficient = (steps: Steps, { objective: { kl } }: TrainSettings): ChartSpec[] =>
  kl.system
    ? [
        spec(
          'kl-coefficient',
          'KL coefficient',
          'changes from step to step',
          'number',
          [line(steps, 'coefficient', 0, (step) => step.klCoefficient)],
          { include: [0], empty: 'Shows after the first step.' },
        ),
      ]
    : [];

/** Lines of the chart of STIE, by its counts. */
const STIE_LINES = [
  ['too like an earlier one (9)', repeatedAnswers],
  ['kept, as passages support it', ({ exempt }) => exempt],
  ['replaced (10)–(11)', ({ replaced }) => replaced],
  ['blocked (12)', ({ joinedBlocked }) => joinedBlocked],
  ['queries refused', ({ queriesRefused }) => queriesRefused],
  [
    'stops',
    (counts) =>
      counts.stopOverlapAbove +
      counts.stopOverlapBelow +
      counts.stopConfidence +
      counts.stopNewInformation +
      counts.stopRepeatedQueries,
  ],
] as const satisfies readonly (readonly [string, (counts: StieCounts) => number])[];

/** How often STIE's clauses fired; absent where it judged nothing. */
export const stie = (steps: Steps): ChartSpec[] =>
  steps.some((step) => step.stie)
    ? [
        spec(
          'stie',
          'STIE: clauses that fired',
          'times in the rollouts of a step; click a step to see which rules',
          'number',
          STIE_LINES.map(([name, of], index) =>
            line(steps, name, index, (step) => (step.stie ? of(step.stie) : null)),
          ),
          { include: [0] },
        ),
      ]
    : [];

/** HRPO: how much of each token is left in what the policy reads while it thinks; absent without gates. */
const latent = (steps: Steps, { adapter }: TrainSettings): ChartSpec[] =>
  adapter.gates
    ? [
        spec(
          'gates',
          'Gates: 1 − a',
          'mean over the latent tokens; 0: only the token',
          'share',
          // a weighs the token itself (docs/methods.md, section 10): what rises is what is read besides.
          [line(steps, '1 − a', 0, ({ latent: read }) => read && 1 - read.gate)],
          { include: [0], empty: 'Shows after the first step.' },
        ),
        spec(
          'latent',
          'Latent tokens',
          'tokens that were read as mixtures, a rollout, mean',
          'tokens',
          [line(steps, 'tokens', 0, (step) => step.latent?.tokens)],
          { include: [0] },
        ),
      ]
    : [];

/** Every chart of a run, from its steps. Pure: steps and settings in, values to draw out. */

/** UR²: queries of a rollout that asked for reasoning and were sent back, mean. */
const fallbacksARollout = ({ fallbacks, rollouts }: TrainStep): number | null =>
  fallbacks === undefined || rollouts === 0 ? null : fallbacks / rollouts;
/** Only of steps in which the summarizer failed. */
const unsummarizedARollout = ({ unsummarized, rollouts }: TrainStep): number | null =>
  unsummarized === undefined || rollouts === 0 ? null : unsummarized.results / rollouts;

/** Only EM has an interval: F1 is not a share of questions, so Wilson’s formula says nothing of it. */
const heldOutIntervals = (steps: Steps): NonNullable<Series['interval']> =>
  new Map(heldOutScores(steps).map(({ step, score }) => [step, shareInterval(score.em, score.n)]));

/** The score before the first step as a dashed line, where there is one. */
const baseline = (
  steps: Steps,
  of: (score: HeldOutScore) => number | null,
  words: (value: number) => string,
): Pick<ChartSpec, 'lines'> => {
  const score = steps[0]?.heldOutAtStart;
  const value = score ? of(score) : null;
  return value === null ? {} : { lines: [{ value, label: `dashed: ${words(value)}` }] };
};

/** Of how many answers the judge's share is, where some were not judged. */
const judgedNote = (steps: Steps): string => {
  const judges = heldOutScores(steps).flatMap(({ score: { judge, n } }) =>
    judge ? [{ ...judge, n }] : [],
  );
  const last = judges.at(-1);
  return last && judges.some(({ notJudged }) => notJudged > 0)
    ? `; judge: of the answers that it judged, ${last.judged} of ${last.n} at the last score`
    : '';
};

/** What the rollouts are worth: answers, rewards, searches, recall and length. */
const accuracy = (steps: Steps): ChartSpec[] => {
  const sampled = withRollouts(steps);
  return [
    spec(
      'em',
      'Answers: EM and F1',
      `sampled: the rollouts of the step; held-out EM with its 95 % interval, before the first step too${judgedNote(steps)}`,
      'share',
      [
        {
          ...heldOut(steps, 'EM held-out', 0, ({ em }) => em),
          interval: heldOutIntervals(steps),
        },
        heldOut(steps, 'F1 held-out', 4, ({ f1 }) => f1),
        // Absent where no judge was asked: the line then has no point and is left out.
        heldOut(steps, 'judge held-out', 3, ({ judge }) => judge?.right),
        line(sampled, 'EM sampled', 1, ({ em }) => em),
        line(sampled, 'F1 sampled', 2, ({ f1 }) => f1),
      ],
      baseline(
        steps,
        ({ em }) => em,
        (em) => `EM ${formatShare(em)} before the first step`,
      ),
    ),
    spec(
      'reward',
      'Reward by clause',
      'weighted means over the rollouts of a step',
      'number',
      [
        line(sampled, 'reward', 0, ({ reward }) => reward.mean),
        ...namesOf(sampled, ({ reward }) => reward.clauses).map((name, index) =>
          line(sampled, name, index + 1, ({ reward }) => reward.clauses[name]),
        ),
      ],
      { include: [0] },
    ),
    spec(
      'searches',
      'Searches',
      'a rollout, mean',
      'number',
      [
        line(sampled, 'sampled', 1, ({ searches }) => searches),
        heldOut(steps, 'held-out', 0, ({ searches }) => searches),
        ...[
          line(sampled, 'fallbacks', 2, fallbacksARollout),
          line(sampled, 'not summarized', 3, unsummarizedARollout),
          // Only of loops that have such queries, or where a summarizer failed.
        ].filter(({ points }) => points.length > 0),
      ],
      {
        include: [0],
        ...baseline(
          steps,
          ({ searches }) => searches,
          (searches) => `${formatNumber(searches)} before the first step, held-out`,
        ),
      },
    ),
    spec(
      'recall',
      'Recall and format',
      'supporting titles found; outputs that keep to the protocol',
      'share',
      [
        line(sampled, 'recall', 1, ({ recall }) => recall),
        line(sampled, 'format valid', 2, ({ formatValid }) => formatValid),
        heldOut(steps, 'recall held-out', 0, ({ recall }) => recall),
      ],
      baseline(
        steps,
        ({ recall }) => recall,
        (recall) => `recall ${formatShare(recall)} before the first step, held-out`,
      ),
    ),
    spec(
      'length',
      'Response length',
      'tokens that the policy wrote, a rollout, mean',
      'tokens',
      [line(sampled, 'tokens', 0, ({ responseTokens }) => responseTokens)],
      { include: [0] },
    ),
  ];
};

/** When the first KL shows: it is measured where it is in the objective, and with each held-out score. */
const klPromise = ({ objective, heldOut }: TrainSettings): string => {
  if (objective.kl.place !== 'off') return FIRST_STEP;
  return heldOut.questions > 0
    ? FIRST_SCORE
    : 'Not computed: these settings have no KL term and no held-out score.';
};

/** What the optimiser does: entropy, KL, clipping, gradients, and groups that teach nothing. */
const optimisation = (steps: Steps, settings: TrainSettings): ChartSpec[] => {
  const noSignal = settings.stages.every((_, stage) => equalTeachNothing(settings, stage));
  return [
    spec(
      'entropy',
      'Entropy',
      'nats per model token, of the sampling distribution',
      'nats',
      [line(withRollouts(steps), 'entropy', 0, ({ entropy }) => entropy)],
      { include: [0] },
    ),
    spec(
      'kl',
      'KL to the reference',
      // k3 = e^d − d − 1 with d = log π_ref − log π (docs/methods.md, section 4).
      'k3, nats per token; the reference is the policy without the adapter',
      'nats',
      [line(steps, 'KL', 0, ({ kl }) => kl)],
      {
        include: [0],
        empty: klPromise(settings),
      },
    ),
    ...klCoefficient(steps, settings),
    spec(
      'clip',
      'Clipped tokens',
      'share of the trained tokens whose ratio was clipped',
      'share',
      [line(steps, 'clipped', 0, ({ clipShare }) => clipShare)],
      {
        include: [0],
        ...(settings.objective.clip === null && { empty: 'These settings do not clip.' }),
      },
    ),
    spec(
      'gradient',
      'Gradient norm',
      'before clipping',
      'number',
      [line(steps, 'norm', 0, ({ gradientNorm }) => gradientNorm)],
      { include: [0] },
    ),
    spec('loss', 'Loss', 'of the last update of a step', 'number', [
      line(steps, 'loss', 0, ({ loss }) => loss),
    ]),
    spec(
      'rate',
      'Learning rate',
      'as it was applied',
      'number',
      [line(steps, 'rate', 0, ({ learningRate }) => learningRate)],
      { include: [0] },
    ),
    spec(
      'zero',
      'Groups with equal rewards',
      `${noSignal ? 'no learning signal; ' : ''}batches: draws of questions`,
      'number',
      [
        line(steps, 'groups', 0, ({ groups }) => groups),
        line(steps, 'zero variance', 1, ({ zeroVarianceGroups }) => zeroVarianceGroups),
        line(steps, 'batches', 2, ({ generationBatches }) => generationBatches),
      ],
      { include: [0] },
    ),
    spec(
      'gap',
      'Sampler–trainer mismatch',
      '|Δ log-probability|, nats, logarithmic',
      'nats',
      [
        // A gap of 0 has no place on a logarithmic axis.
        line(steps, 'largest', 1, ({ samplerGap }) => samplerGap.max || null),
        line(steps, 'mean', 0, ({ samplerGap }) => samplerGap.mean || null),
      ],
      {
        log: true,
        ...(steps.some(({ samplerGap }) => samplerGap.max !== null) && {
          empty: 'The gap is 0 in every step.',
        }),
      },
    ),
  ];
};

/** Names of the phases and their keys in a step’s record, in the order in which they happen. */
const PHASES = [
  ['rollouts', 'rollout'],
  ['update', 'update'],
  ['held-out', 'heldOut'],
  ['snapshot', 'checkpoint'],
] as const;

/** Seconds of a step that no phase counts. */
const otherSeconds = ({ seconds }: TrainStep): number | null =>
  seconds.total === null
    ? null
    : Math.max(0, seconds.total - PHASES.reduce((sum, [, key]) => sum + (seconds[key] ?? 0), 0));

/** Where the time goes, and which questions were drawn. */
const speed = (steps: Steps): ChartSpec[] => [
  spec(
    'rate-tokens',
    'Tokens per second',
    'sampled, over the rollout phase',
    'tokens',
    [line(steps, 'tokens/s', 0, ({ tokensPerSecond }) => tokensPerSecond)],
    { include: [0] },
  ),
  spec(
    'phases',
    'Time per phase',
    'seconds per step, stacked',
    'seconds',
    [
      ...PHASES.map(([name, key], index) =>
        line(steps, name, index, ({ seconds }) => seconds[key]),
      ),
      line(steps, 'other', 4, otherSeconds),
    ],
    { kind: 'stack' },
  ),
  spec(
    'drawn',
    'Questions by curriculum class',
    'questions per step by class, stacked',
    'questions',
    namesOf(steps, ({ drawn }) => drawn).map((name, index) =>
      // 0 and not absent: a stack needs every part at every step.
      line(steps, name, index, ({ drawn }) => drawn[name] ?? 0),
    ),
    { kind: 'stack' },
  ),
];

/** The router's reward in the run; null where the settings are not valid. */
export const routerMode = (settings: TrainSettings): RewardSettings | null => {
  try {
    return withOverrides(recipeOf(settings).settings, overridesInForce(settings)).nlr;
  } catch {
    return null;
  }
};

/**
 * What the router learned: where it sends each kind of question, and what that costs and brings.
 * Absent where no call was routed and none will be.
 */
const router = (steps: Steps, settings: TrainSettings): ChartSpec[] => {
  const kinds = namesOf(steps, ({ router }) => router?.byKind);
  if (kinds.length === 0 && settings.router.train === 'off') return [];
  // The printed reward alone is known to collapse, and where (docs/methods.md, section 1).
  const mode = routerMode(settings);
  const paper = mode?.reward === 'paper' ? mode : null;
  const best = paper ? paperOptimum(paper.beta1, paper.beta2) : null;
  // 0.5 where the printed reward prefers neither source.
  const where = best === 'local' ? 1 : best === 'web' ? 0 : 0.5;
  return [
    spec(
      'router',
      'Router: π(local)',
      'by kind of question; π(web) is the rest',
      'share',
      kinds.map((kind, index) =>
        line(steps, kind, index, ({ router }) => router?.byKind[kind]?.local),
      ),
      {
        include: [0, 1],
        ...(paper && { lines: [{ value: where, label: `dashed: ${collapseText(paper)}` }] }),
      },
    ),
    spec(
      'router-reward',
      'Router: reward',
      `mean of a call, ${mode?.reward ?? 'unknown'} mode`,
      'number',
      [
        line(steps, 'all', 0, ({ router }) => router?.reward),
        ...kinds.map((kind, index) =>
          line(steps, kind, index + 1, ({ router }) => router?.byKind[kind]?.reward),
        ),
      ],
    ),
    spec(
      'router-latency',
      'Router: latency',
      'measured, mean of the calls of a step',
      'ms',
      [
        line(steps, 'local', 0, ({ router }) => router?.latencyMs.local),
        line(steps, 'web', 1, ({ router }) => router?.latencyMs.web),
      ],
      { include: [0] },
    ),
    spec(
      'router-recall',
      'Router: recall gained',
      'share of the gold titles that a call brought first',
      'share',
      [
        line(steps, 'local', 0, ({ router }) => router?.recallGained.local),
        line(steps, 'web', 1, ({ router }) => router?.recallGained.web),
      ],
      { include: [0] },
    ),
  ];
};

/** Charts under one heading. */
export interface ChartGroup {
  name: string;
  charts: ChartSpec[];
}

/** Charts of what the rollouts of a step show. */
const OF_ROLLOUTS = new Set(['reward', 'length', 'entropy', 'zero']);

/** Without rollouts in any step, what is measured of them alone would never show. */
const shown = (charts: ChartSpec[], settings: TrainSettings): ChartSpec[] =>
  settings.stages.every(({ loss }) => isStored(loss))
    ? charts.filter(({ id }) => !OF_ROLLOUTS.has(id))
    : charts;

/** Charts in the order of the page. */
export const chartsOf = (steps: Steps, settings: TrainSettings, run?: ChartedRun): ChartGroup[] =>
  [
    { name: 'What it earns', charts: accuracy(steps) },
    { name: 'Routing', charts: router(steps, settings) },
    { name: 'Filter', charts: stie(steps) },
    { name: 'Latent reasoning', charts: latent(steps, settings) },
    { name: 'How it learns', charts: optimisation(steps, settings) },
    { name: 'Speed and data', charts: speed(steps) },
  ]
    .map(({ name, charts }) => ({
      name,
      charts: shown(charts, settings).map(unreported(steps, run)),
    }))
    .filter(({ charts }) => charts.length > 0);
