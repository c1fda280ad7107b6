import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { groupBy } from '../src/base/items.ts';
import type { Trained } from '../src/cli/study/folder.ts';
import { linesOf } from '../src/evaluate/study/curves.ts';
import type { ExpectedCurve, ExpectedCurves } from '../src/evaluate/study/expected-curves.ts';
import { currentId, findTraining, getTraining } from '../src/recipes/index.ts';
import type { TrainSettings } from '../src/recipes/parts/training.ts';

const root = resolve(import.meta.dirname, '..');
const results = resolve(root, 'training/studies/results');

export const CURVES_FILE = resolve(results, 'curves.json');

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** The beginning of the SHA-256 of its weights, as the policy names its revision. */
const shippedRevision = (): string =>
  createHash('sha256')
    .update(readFileSync(resolve(root, 'public/policy/model.safetensors')))
    .digest('hex')
    .slice(0, 12);

type Stage = TrainSettings['stages'][number];

/** Stages without the length of the last one, which ends with the run. */
const openEnded = (stages: readonly Stage[]): unknown[] =>
  stages.map((stage, index) => (index === stages.length - 1 ? { ...stage, steps: 0 } : stage));

/** Gold questions come within a share of the run; questions that are drawn evenly are not scored before. */
const schedule = ({ curriculum, steps }: TrainSettings): unknown =>
  curriculum.kind === 'uniform'
    ? { kind: curriculum.kind }
    : { ...curriculum, goldEpochs: curriculum.goldEpochs / steps };

/** What a recipe is apart from the length of a run, its seed and when it is scored. */
const substance = (settings: TrainSettings): unknown => ({
  ...settings,
  seed: 0,
  steps: 0,
  heldOut: { ...settings.heldOut, every: 0 },
  stages: openEnded(settings.stages),
  curriculum: schedule(settings),
});

const isUnchanged = (settings: TrainSettings): boolean =>
  findTraining(settings.preset) !== undefined &&
  isDeepStrictEqual(substance(settings), substance(getTraining(settings.preset)));

/** What of a finished training its curve is made of. */
export type Measured = Pick<Trained, 'world' | 'curve'> & { settings: TrainSettings };

/** @returns null where the trainings have no two scores at the same steps */
function curveOf(training: string, runs: readonly Measured[]): ExpectedCurve | null {
  const curves = runs.map(({ settings, world, curve }) => ({
    arm: training,
    seed: settings.seed,
    trainWorld: world,
    points: curve,
  }));
  const [line] = linesOf(curves, ({ heldOut }) => heldOut?.em ?? null);
  if (!line || line.mean.length < 2) return null;
  return {
    training,
    seeds: [...new Set(runs.map(({ settings }) => settings.seed))].toSorted((a, b) => a - b),
    worlds: [...new Set(runs.map(({ world }) => world))].toSorted(),
    questions: getTraining(training).heldOut.questions,
    em: line.mean.map(([step, em]) => [step, Number(em.toFixed(4))]),
  };
}

/** Curves of the recipes that were trained unchanged, whatever else was trained beside them. */
export function curvesOf(trained: readonly Measured[]): ExpectedCurve[] {
  const unchanged = trained.filter(({ settings }) => isUnchanged(settings));
  const byTraining = groupBy(unchanged, ({ settings }) => currentId(settings.preset));
  return [...byTraining].flatMap(([id, runs]) => curveOf(id, runs) ?? []);
}

/** What training/studies/results/curves.json is to hold. */
export function expectedCurves(): string {
  const { policy } = readJson(resolve(results, 'results.json')) as Pick<ExpectedCurves, 'policy'>;
  const folder = resolve(results, 'trained');
  // Curves of a policy that is no longer shipped say nothing of the one that is.
  const trained =
    policy.revision === shippedRevision()
      ? readdirSync(folder).map((key) => readJson(resolve(folder, key, 'trained.json')) as Measured)
      : [];
  const curves = curvesOf(trained);
  const file: ExpectedCurves = { format: 'forage.expected-curves/1', policy, curves };
  return `${JSON.stringify(file)}\n`;
}
