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

/**
 * What counts of it: gold comes within a share of the run, or as in the first steps of the recipe's own run, and only where it
 * comes; what is drawn evenly is not rated.
 */
const schedule = ({ preset, curriculum, steps }: TrainSettings): unknown => {
  const { system } = curriculum;
  if (!system || typeof system['goldEpochs'] !== 'number') return system ?? null;
  const own = getTraining(preset);
  const asOwn = system['goldEpochs'] === own.curriculum.system?.['goldEpochs'];
  return { ...system, goldEpochs: system['goldEpochs'] / (asOwn ? own.steps : steps) };
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

/** What the model was taught before the first step; undefined where the recipe says it or nothing was. */
const startOf = ({ preset, start }: TrainSettings): ExpectedCurve['start'] =>
  start === 'not-searching' && getTraining(preset).start !== start ? start : undefined;

/** Whether it was trained as its recipe says, apart from its start. */
function isAsOwn(made: TrainSettings): boolean {
  const own = getTraining(made.preset);
  const ownStart = made.start === own.start || startOf(made) !== undefined;
  return ownStart && isDeepStrictEqual(substance(made), substance(own));
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
function curveOf(training: string, runs: readonly Measured[]): ExpectedCurve | null {
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
  };
}

const idOf = (training: string, start: ExpectedCurve['start']): string =>
  start ? `${training} ${start}` : training;

/** Curves of the recipes that were trained unchanged, whatever else was trained beside them. */
export function curvesOf(trained: readonly Measured[]): ExpectedCurve[] {
  const unchanged = trained.filter(
    ({ settings }) => findTraining(settings.preset) !== undefined && isAsOwn(settings),
  );
  const byStart = groupBy(unchanged, ({ settings }) => idOf(settings.preset, startOf(settings)));
  return [...byStart.values()].flatMap(
    (runs) => curveOf(runs[0]?.settings.preset ?? '', runs) ?? [],
  );
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
