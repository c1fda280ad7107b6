import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { groupBy } from '../src/base/items.ts';
import type { Trained } from '../src/cli/study/folder.ts';
import { linesOf } from '../src/evaluate/study/curves.ts';
import {
  BUILT_IN_WORLD,
  type ExpectedCurve,
  type ExpectedCurves,
} from '../src/evaluate/study/expected-curves.ts';
import { findTraining, getTraining } from '../src/systems/index.ts';
import type { TrainSettings } from '../src/recipes/parts/training.ts';

const root = resolve(import.meta.dirname, '..');
const RESULTS = resolve(root, 'training/studies/results');

export const CURVES_FILE = resolve(RESULTS, 'curves.json');

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** The beginning of the SHA-256 of its weights, as the policy names its revision. */
export const shippedRevision = (): string =>
  createHash('sha256')
    .update(readFileSync(resolve(root, 'public/policy/model.safetensors')))
    .digest('hex')
    .slice(0, 12);

type Stage = TrainSettings['stages'][number];

/** Stages without the length of the last one, which ends with the run. */
const openEnded = (stages: readonly Stage[]): unknown[] =>
  stages.map((stage, index) => (index === stages.length - 1 ? { ...stage, steps: 0 } : stage));

/** What counts of it: gold comes within a share of the run, and only where it comes; what is drawn evenly is not rated. */
const schedule = ({ curriculum, steps }: TrainSettings): unknown =>
  curriculum.kind === 'uniform'
    ? { kind: curriculum.kind }
    : {
        ...curriculum,
        goldEpochs: curriculum.kind === 'gold-noise' ? curriculum.goldEpochs / steps : 0,
      };

/** What a recipe is apart from its start, the length of a run, its seed, when and on how many questions it is scored, and stored. */
const substance = (settings: TrainSettings): unknown => ({
  ...settings,
  start: null,
  seed: 0,
  steps: 0,
  checkpointEvery: 0,
  heldOut: { ...settings.heldOut, every: 0, questions: 0 },
  stages: openEnded(settings.stages),
  curriculum: schedule(settings),
});

/** A difference from the recipe with which the curve is still shown, with a note. */
interface AcceptedDifference {
  /** The trained settings with the recipe's own values where they differ. */
  undone: (made: TrainSettings, own: TrainSettings) => TrainSettings;
  words: (made: TrainSettings, own: TrainSettings) => string;
}

const ACCEPTED_DIFFERENCES: readonly AcceptedDifference[] = [
  {
    undone: (made, { curriculum: { pool, scoringRollouts } }) => ({
      ...made,
      curriculum: { ...made.curriculum, pool, scoringRollouts },
    }),
    words: ({ curriculum: made }, { curriculum: own }) =>
      `before training ${made.pool} questions were rated by ${made.scoringRollouts} rollouts each, not ${own.pool} by ${own.scoringRollouts}`,
  },
  {
    undone: (made) => ({
      ...made,
      stages: made.stages.map((stage) =>
        stage.reward === 'kunlun-by-form' ? { ...stage, reward: 'kunlun-short' } : stage,
      ),
    }),
    words: () =>
      'questions that want a long answer were rewarded by equation (18), not by (17) like the others',
  },
];

/** What the model was taught before the first step; undefined where the recipe says it or nothing was. */
const startOf = ({ preset, start }: TrainSettings): ExpectedCurve['start'] =>
  start === 'not-searching' && getTraining(preset).start !== start ? start : undefined;

/** How a training differs from its recipe, apart from its start: '' where it does not; null where it is another one. */
function differenceOf(made: TrainSettings): string | null {
  const own = getTraining(made.preset);
  if (made.start !== own.start && !startOf(made)) return null;
  const asOwn = (settings: TrainSettings): boolean =>
    isDeepStrictEqual(substance(settings), substance(own));
  if (asOwn(made)) return '';
  return (
    ACCEPTED_DIFFERENCES.find(({ undone }) => asOwn(undone(made, own)))?.words(made, own) ?? null
  );
}

/** The parts of a finished training that its curve needs. */
export type Measured = Pick<Trained, 'world' | 'curve'> & { settings: TrainSettings };

/** Of each seed on each world the longest, of those that were scored on the most questions. */
function longest(runs: readonly Measured[]): Measured[] {
  const questions = Math.max(...runs.map(({ settings }) => settings.heldOut.questions));
  const alike = runs.filter(({ settings }) => settings.heldOut.questions === questions);
  const bySeed = groupBy(
    alike.toSorted((a, b) => b.settings.steps - a.settings.steps),
    ({ world, settings }) => `${world} ${settings.seed}`,
  );
  return [...bySeed.values()].flatMap(([first]) => first ?? []);
}

/**
 * Those on the built-in world where there are any: a run on the page begins where their curve begins.
 * @returns null where the trainings have no two scores at the same steps
 */
function curveOf(
  training: string,
  runs: readonly Measured[],
  otherwise: string,
): ExpectedCurve | null {
  const here = runs.filter(({ world }) => world === BUILT_IN_WORLD);
  const alike = longest(here.length > 0 ? here : runs);
  const start = alike[0] && startOf(alike[0].settings);
  const curves = alike.map(({ settings, world, curve }) => ({
    arm: training,
    seed: settings.seed,
    trainWorld: world,
    points: curve,
  }));
  const [line] = linesOf(curves, ({ heldOut }) => heldOut?.em ?? null);
  if (!line || line.mean.length < 2) return null;
  return {
    training,
    ...(start ? { start } : {}),
    seeds: [...new Set(alike.map(({ settings }) => settings.seed))].toSorted((a, b) => a - b),
    worlds: [...new Set(alike.map(({ world }) => world))].toSorted(),
    questions: Math.max(...alike.map(({ settings }) => settings.heldOut.questions)),
    em: line.mean.map(([step, em]) => [step, Number(em.toFixed(4))]),
    ...(otherwise === '' ? {} : { otherwise }),
  };
}

const idOf = (training: string, start: ExpectedCurve['start']): string =>
  start ? `${training} ${start}` : training;

/** Curves of the recipes that were trained unchanged, else nearly so, whatever else was trained beside them. */
export function curvesOf(trained: readonly Measured[]): ExpectedCurve[] {
  const known = trained.filter(({ settings }) => findTraining(settings.preset) !== undefined);
  const byStart = groupBy(known, ({ settings }) => idOf(settings.preset, startOf(settings)));
  return [...byStart.values()].flatMap((runs) => {
    const byDeparture = groupBy(runs, ({ settings }) => differenceOf(settings) ?? 'another');
    byDeparture.delete('another');
    // '' comes first: what was trained unchanged.
    const [nearest] = [...byDeparture].toSorted(([a], [b]) => a.localeCompare(b));
    const id = runs[0]?.settings.preset ?? '';
    return nearest ? (curveOf(id, nearest[1], nearest[0]) ?? []) : [];
  });
}

type Stored = Measured & Pick<Trained, 'made'>;

const madeAt = ({ made }: Stored): number => Date.parse(String(made['at']));

/** What finished trainings left in `folder`; none where no study ran on this machine. */
const trainedIn = (folder: string): Stored[] =>
  existsSync(folder)
    ? readdirSync(folder).map((key) => readJson(resolve(folder, key, 'trained.json')) as Stored)
    : [];

/**
 * What `curves.json` is to hold: the curves of it, with those of the trainings on this machine in their place. Full results are
 * not in the repository, so that a machine that repeats one study keeps the curves of the others.
 *
 * @param folder of results, as `lab study --out` writes it
 * @returns `curves` as they are where the folder's policy is not the one that is shipped: its curves say nothing of that one
 */
export function expectedCurves(curves: ExpectedCurves, folder = RESULTS): ExpectedCurves {
  const { policy } = readJson(resolve(folder, 'results.json')) as Pick<ExpectedCurves, 'policy'>;
  const shipped = shippedRevision();
  if (policy.revision !== shipped) return curves;
  // Settings do not say which stored trajectories were learned from; of several, controls were made later.
  const inOrder = trainedIn(resolve(folder, 'trained')).toSorted((a, b) => madeAt(a) - madeAt(b));
  const found = curvesOf(inOrder);
  const rest = curves.policy.revision === shipped ? curves.curves : [];
  const ids = new Set(found.map(({ training, start }) => idOf(training, start)));
  const kept = rest.filter(({ training, start }) => !ids.has(idOf(training, start)));
  return {
    format: 'forage.expected-curves/1',
    policy,
    curves: [...kept, ...found].toSorted((a, b) =>
      idOf(a.training, a.start).localeCompare(idOf(b.training, b.start), 'en'),
    ),
  };
}
