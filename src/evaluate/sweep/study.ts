import { canonical } from '../../base/hash.ts';
import { asWord, getTraining } from '../../systems/index.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { z } from 'zod';
import type { studyFileSchema, StudyWorld } from '../study/file/file.ts';
import { shortName, sweepText, type SweepAxis } from './axes.ts';
import { choiceText, type SweepCell } from './cells.ts';

/** A sweep as a study file: a cell is an arm, or a seed of one where the seed is swept. */

/** What a study needs to know beside the settings. Paths are as the study file has them. */
export interface SweepInputs {
  world: StudyWorld;
  policy?: string;
  demonstrations?: string;
}

/** Where the scores of a cell are in the study. */
export function armOf({ chosen, settings }: SweepCell): { arm: string; seed: number } {
  const others = chosen.filter(({ path }) => path !== 'seed');
  return {
    arm: others.length > 0 ? choiceText(others) : settings.preset,
    seed: settings.seed,
  };
}

/** Settings that differ from those of the training that they are named after, whole by name. */
function changesOf(settings: TrainSettings): Record<string, unknown> {
  const base: Record<string, unknown> = { ...getTraining(settings.preset) };
  return Object.fromEntries(
    Object.entries(settings).filter(
      ([key, value]) =>
        !['seed', 'preset', 'steps'].includes(key) && canonical(value) !== canonical(base[key]),
    ),
  );
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** Name of the folder of tables: those of another grid of the same folder stay. */
const sweepName = (axes: readonly SweepAxis[]): string =>
  asWord(`sweep-${axes.map(({ path }) => shortName(path)).join('-')}`);

/** The study that trains every cell and scores it on the world's questions that are held out for development. */
export function sweepStudy(
  cells: readonly SweepCell[],
  axes: readonly SweepAxis[],
  { world, policy, demonstrations }: SweepInputs,
): z.input<typeof studyFileSchema> {
  const [first] = cells;
  if (!first) throw new Error('a sweep without cells');
  const { settings } = first;
  const given = demonstrations === undefined ? {} : { demonstrations };
  const arms = new Map(
    cells.map((cell) => {
      const name = armOf(cell).arm;
      const training = { ...changesOf(cell.settings), steps: cell.settings.steps };
      return [name, { name, recipe: settings.preset, training, ...given }] as const;
    }),
  );
  const { heldOut, preset } = settings;
  return {
    format: 'forage.study/1',
    name: sweepName(axes),
    question: `Which of ${sweepText(axes)} does ${preset} learn best with?`,
    policy,
    train: {
      worlds: [world],
      seeds: unique(cells.map((cell) => cell.settings.seed)),
      steps: settings.steps,
    },
    evaluate: {
      worlds: [world],
      questions: heldOut.questions,
      split: 'dev',
      temperature: heldOut.temperature,
      routing: 'argmax',
    },
    arms: [...arms.values()],
    reference: [...arms.keys()][0] ?? '',
    numbers: ['em', 'f1', 'searches', 'tokens'],
  };
}
