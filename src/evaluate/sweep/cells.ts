import { messageOf } from '../../base/errors.ts';
import { rewardById } from '../../learn/rewards/registry.ts';
import { withChanges } from '../../learn/settings/edit-settings.ts';
import { idleBecause } from '../../learn/settings/idle.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { settable, shortName, valueText, type SweepAxis, type SweepValue } from './axes.ts';

/** The runs of a sweep: one for each pair of values. */

/** Limit for one tab and an afternoon. */
export const MOST_CELLS = 36;

interface SweepChoice {
  path: string;
  value: SweepValue;
}

export interface SweepCell {
  /** Row and column: places in the values of the first and of the second axis. */
  place: [row: number, column: number];
  /** Its values, by row and by column. */
  chosen: readonly SweepChoice[];
  /** `lr 1e-4 · groupSize 8` */
  name: string;
  settings: TrainSettings;
}

/** `lr 1e-4 · groupSize 8` */
export const choiceText = (chosen: readonly SweepChoice[]): string =>
  chosen.map(({ path, value }) => `${shortName(path)} ${valueText(value)}`).join(' · ');

/** Rows and columns; one axis alone is a row. */
export interface SweepGrid {
  rows: SweepAxis | null;
  columns: SweepAxis;
}

export function gridOf(axes: readonly SweepAxis[]): SweepGrid {
  const [first, second] = axes;
  if (!first) throw new Error('the sweep names no settings; name one or two');
  return second ? { rows: first, columns: second } : { rows: null, columns: first };
}

function axisProblem({ path, values }: SweepAxis): string | null {
  const name = shortName(path);
  if (values.length < 2)
    return `${name} has one value; give two or more, or set it outside the sweep`;
  const texts = values.map((value) => JSON.stringify(value));
  const twice = texts.find((text, i) => texts.indexOf(text) < i);
  return twice === undefined ? null : `${name} has the value ${twice} twice`;
}

/** What is wrong with the grid itself; null where nothing is. */
function gridProblem(settings: TrainSettings, axes: readonly SweepAxis[]): string | null {
  if (axes.length < 1 || axes.length > 2)
    return `a sweep is a grid over one or two settings, not ${axes.length}`;
  const can = new Set(settable(settings));
  const unknown = axes.find(({ path }) => !can.has(path));
  if (unknown) {
    const below = [...can].filter((path) => path.startsWith(`${unknown.path}.`));
    return below.length > 0
      ? `${unknown.path} holds several settings; name one of them, such as ${below.slice(0, 3).join(', ')}`
      : `${unknown.path} cannot be swept: the run has no setting of that name with a single value`;
  }
  if (axes[0]?.path === axes[1]?.path)
    return `both axes are ${axes[0]?.path}; name another setting`;
  const problem = axes.map(axisProblem).find((one) => one !== null);
  if (problem !== undefined) return problem;
  const count = axes.reduce((product, { values }) => product * values.length, 1);
  if (count > MOST_CELLS)
    return `${axes.map(({ values }) => values.length).join(' × ')} are ${count} runs; at most ${MOST_CELLS} fit in a sweep. Leave values out`;
  if (settings.heldOut.questions === 0)
    return 'runs are compared on held-out questions, and there are none; set heldOut.questions above 0';
  return null;
}

const WEIGHT = /^stages\.(\d+)\.weights\.(.+)$/;

/**
 * The factors of a stage's reward with those of a cell: the others share the rest in the proportions
 * that they had, so that all sum to 1.
 */
function rebalanced(
  { stages }: TrainSettings,
  stage: number,
  fixed: Readonly<Record<string, number>>,
): Record<string, number> {
  const of = stages[stage];
  const own = { ...rewardById(of?.reward ?? '')?.weights, ...of?.weights };
  const others = Object.entries(own).filter(([clause]) => fixed[clause] === undefined);
  const had = others.reduce((sum, [, weight]) => sum + weight, 0);
  const rest = 1 - Object.values(fixed).reduce((sum, weight) => sum + weight, 0);
  if (rest < -1e-9) throw new Error(`weights of stage ${stage + 1} sum to more than 1`);
  const share = (weight: number): number =>
    (had > 0 ? weight / had : 1 / others.length) * Math.max(0, rest);
  return { ...fixed, ...Object.fromEntries(others.map(([clause, w]) => [clause, share(w)])) };
}

/** The settings of one cell. @throws Error of one line */
function settingsAt(settings: TrainSettings, chosen: readonly SweepChoice[]): TrainSettings {
  const weights = new Map<number, Record<string, number>>();
  const changes: string[] = [];
  for (const { path, value } of chosen) {
    const [, stage, clause] = WEIGHT.exec(path) ?? [];
    if (stage === undefined || clause === undefined)
      changes.push(`${path}=${JSON.stringify(value)}`);
    else if (typeof value !== 'number')
      throw new Error(`${path}: ${String(value)} is not a number`);
    else weights.set(Number(stage), { ...weights.get(Number(stage)), [clause]: value });
  }
  const changed = withChanges(settings, changes);
  for (const [stage, fixed] of weights)
    changes.push(`stages.${stage}.weights=${JSON.stringify(rebalanced(changed, stage, fixed))}`);
  return withChanges(settings, changes);
}

/**
 * Cells that differ in a setting that does nothing are the same run. Looked at cell by cell, as the other axis may be
 * what switches it on.
 * @throws Error of one line
 */
function checkActs(settings: TrainSettings, chosen: readonly SweepChoice[]): void {
  for (const { path } of chosen) {
    const because = idleBecause(settings, path);
    if (because !== null)
      throw new Error(
        `${path} has no effect here: ${because}. All its runs would be the same; leave it out of the sweep`,
      );
  }
}

/**
 * The cells of a sweep, row by row.
 * @param check throws for settings that cannot be trained with
 * @throws Error of one line that names what is wrong
 */
export function planSweep(
  settings: TrainSettings,
  axes: readonly SweepAxis[],
  check: (settings: TrainSettings) => void,
): SweepCell[] {
  const problem = gridProblem(settings, axes);
  if (problem !== null) throw new Error(`sweep: ${problem}`);
  const { rows, columns } = gridOf(axes);
  return (rows?.values ?? [null]).flatMap((down, row) =>
    columns.values.map((across, column): SweepCell => {
      const chosen: SweepChoice[] = [
        ...(rows && down !== null ? [{ path: rows.path, value: down }] : []),
        { path: columns.path, value: across },
      ];
      const name = choiceText(chosen);
      try {
        const made = settingsAt(settings, chosen);
        checkActs(made, chosen);
        check(made);
        return { place: [row, column], chosen, name, settings: made };
      } catch (error) {
        throw new Error(`sweep: ${name}: ${messageOf(error)}`, { cause: error });
      }
    }),
  );
}
