import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { mean } from '../../base/statistics.ts';
import { parseSweep, type SweepAxis } from '../../evaluate/sweep/axes.ts';
import { planSweep, type SweepCell } from '../../evaluate/sweep/cells.ts';
import { sweepFiles } from '../../evaluate/sweep/report.ts';
import { armOf, sweepStudy, type SweepInputs } from '../../evaluate/sweep/study.ts';
import type { StudyPlan } from '../../evaluate/study/plan.ts';
import type { StudyResults } from '../../evaluate/study/report.ts';
import type { Study } from '../../evaluate/study/file/read.ts';
import { checkRouter } from '../../learn/run/assemble.ts';
import { checkTrainable } from '../../learn/rl/trainable.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { SHIPPED_SEED } from '../../world/world.ts';

import { madeWorldOf } from '../shared/generated-world.ts';
import { UsageError, type OptionLists, type OptionValues } from '../shared/options.ts';
import { asUsage } from '../shared/train-settings.ts';
import { readStudyText, runStudy } from './run.ts';

/** `lab train --sweep`: a grid of trainings, made and scored as the arms of a study. */

/** Options of `lab train` that a sweep supports; a study has no counterpart for the others. */
const TAKEN = [
  'sweep',
  'check',
  'out',
  'recipe',
  'steps',
  'seed',
  'world',
  'world-seed',
  'corpus',
  'questions',
  'method',
  'policy',
  'demonstrations',
  'threads',
  'micro-tokens',
];

function checkOptions(values: OptionValues): void {
  const idle = Object.keys(values).find(
    (name) => values[name] !== undefined && values[name] !== false && !TAKEN.includes(name),
  );
  if (idle !== undefined)
    throw new UsageError(
      `--sweep does not support --${idle}; leave it out, or train the runs one by one.`,
    );
}

const pathOf = (values: OptionValues, name: string): string | undefined =>
  values[name] === undefined ? undefined : resolve(String(values[name]));

/** Where questions and passages come from; the built-in world unless something is named. */
function worldOf(values: OptionValues, lists: OptionLists): SweepInputs['world'] {
  const corpus = lists['corpus'] ?? [];
  const [questions, folder] = [pathOf(values, 'questions'), pathOf(values, 'world')];
  if (corpus.length > 0 || questions !== undefined) {
    if (corpus.length === 0 || questions === undefined)
      throw new UsageError('--sweep needs --corpus and --questions together.');
    return {
      corpus: corpus.map((one) => resolve(one)),
      questions,
      ...(values.method !== undefined && { method: String(values.method) }),
    };
  }
  const made = madeWorldOf(values);
  return folder === undefined ? (made ?? { seed: SHIPPED_SEED }) : { folder };
}

/** Refuses settings that a study cannot express, instead of dropping them. */
function checkSame(study: Study, cells: readonly SweepCell[]): void {
  for (const cell of cells) {
    const { arm } = armOf(cell);
    const said = study.arms.find(({ name }) => name === arm)?.settings;
    if (!isDeepStrictEqual(said && { ...said, seed: 0 }, { ...cell.settings, seed: 0 }))
      throw new UsageError(
        `The settings of ${cell.name} lack settings that ${cell.settings.preset} has, which a sweep does not support; name the recipe by its id and change it with --set.`,
      );
  }
}

/** EM of each cell over the held-out questions, after training; null where it is not made. */
function valuesOf(
  cells: readonly SweepCell[],
  { uses }: StudyPlan,
  results: StudyResults,
): (number | null)[] {
  return cells.map((cell) => {
    const { arm, seed } = armOf(cell);
    const use = uses.find((one) => one.at === 'end' && one.arm === arm && one.seed === seed);
    const made = use && results.rows(use.score);
    return made ? mean(made.map(({ em }) => em)) : null;
  });
}

/** @throws UsageError for an invalid grid, and for options that a study does not support */
export async function runSweep(
  settings: TrainSettings,
  values: OptionValues,
  lists: OptionLists,
): Promise<void> {
  checkOptions(values);
  const axes: SweepAxis[] = asUsage(() => parseSweep(String(values.sweep)));
  const cells = asUsage(() =>
    planSweep(settings, axes, (one) => {
      checkRouter(one);
      checkTrainable(one, { summarizer: true });
    }),
  );
  const [policy, demonstrations] = [pathOf(values, 'policy'), pathOf(values, 'demonstrations')];
  const json = JSON.stringify(
    sweepStudy(cells, axes, {
      world: worldOf(values, lists),
      policy,
      demonstrations,
    }),
    null,
    2,
  );
  const study = readStudyText(json, process.cwd(), 'sweep');
  checkSame(study, cells);
  await runStudy(
    {
      study,
      base: process.cwd(),
      files: (plan, results) => ({
        'study.json': `${json}\n`,
        ...sweepFiles({
          title: `EM on ${settings.heldOut.questions} held-out dev questions, %`,
          axes,
          values: valuesOf(cells, plan, results),
        }),
      }),
    },
    {
      out: values.out === undefined ? null : String(values.out),
      check: values.check === true,
      threads: Number(values.threads),
      microTokens: Number(values['micro-tokens']),
    },
  );
}
