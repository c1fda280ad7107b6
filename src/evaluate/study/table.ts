import type { BootstrapOptions } from '../bootstrap.ts';
import { pairedDifference, type PairedDifference } from '../paired-difference.ts';
import { signatureNumber, type SignatureNumber } from './file/numbers.ts';
import type { Row } from './rows.ts';
import {
  differences,
  meanOf,
  pairs,
  valuesOf,
  type ArmScores,
  type Part,
  type ScoredCell,
} from './scores.ts';

/** The tables of a study, as numbers. */

export interface TableCell {
  number: SignatureNumber;
  /** Mean over seeds, worlds and questions; null where nothing is scored. */
  mean: number | null;
  /** From what the table compares with; null where there is nothing to compare. */
  difference: PairedDifference | null;
}

export interface TableRow {
  arm: string;
  /** Which questions. */
  part: string;
  /** Seeds in the mean; empty where no seed has a part in it. */
  seeds: number[];
  /** Questions over all worlds of the part. */
  n: number;
  /** Seeds that the difference is over: those that both sides have. */
  pairedSeeds: number[];
  cells: TableCell[];
  /** What its differences are from, where that is not the table's reference. */
  against?: string;
}

export interface StudyTable {
  id: 'arms' | 'start' | 'start-parts' | 'parts';
  title: string;
  rows: TableRow[];
}

export interface TableOptions {
  reference: string;
  numbers: readonly SignatureNumber[];
  worlds: readonly string[];
  /** How many worlds each arm is trained on. */
  trainWorlds: number;
  interval: BootstrapOptions;
}

const seedsOf = (list: readonly { seed: number | null }[]): number[] =>
  list.flatMap(({ seed }) => seed ?? []);

/** One row: the means of `end`, and their differences from `other`, null for none. */
function rowOf(
  arm: string,
  end: readonly ScoredCell[],
  other: readonly ScoredCell[] | null,
  part: Part,
  { numbers, trainWorlds, interval }: TableOptions,
): TableRow {
  const [first] = numbers;
  const scored = first ? valuesOf(end, first, part, trainWorlds) : [];
  const against = first && other ? valuesOf(other, first, part, trainWorlds) : [];
  return {
    arm,
    part: part.name,
    seeds: seedsOf(scored),
    n: (scored[0]?.values ?? []).reduce((sum, world) => sum + world.length, 0),
    pairedSeeds: seedsOf(pairs(against, scored)),
    cells: numbers.map((number) => {
      const own = valuesOf(end, number, part, trainWorlds);
      const theirs = other ? valuesOf(other, number, part, trainWorlds) : [];
      const { binary = false } = signatureNumber(number);
      return {
        number,
        mean: meanOf(own),
        difference: pairedDifference(differences(pairs(theirs, own)), { ...interval, binary }),
      };
    }),
  };
}

const everything = (worlds: readonly string[]): Part => ({
  name: 'all',
  worlds,
  keep: () => true,
});

/** By composition, where questions have some of either kind. */
function compositionsOf(arms: readonly ArmScores[], worlds: readonly string[]): Part[] {
  const rows = arms.flatMap(({ end }) => end.flatMap((cell) => cell.rows));
  const composed = [0, 1].every((heldOut) => rows.some((row) => row.heldOut === heldOut));
  if (!composed) return [];
  return [
    { name: 'held-out compositions', worlds, keep: (row: Row) => row.heldOut === 1 },
    { name: 'other compositions', worlds, keep: (row: Row) => row.heldOut === 0 },
  ];
}

/** Names the scores of the policy without an adapter beside those of a trained arm. */
const nameBefore = ({ name, before }: ArmScores): string => `${name}, ${before}`;

/** Each world, where there are several, and all of them by composition. */
const partsOf = (arms: readonly ArmScores[], worlds: readonly string[]): Part[] => [
  ...(worlds.length > 1
    ? worlds.map((name): Part => ({ name, worlds: [name], keep: () => true }))
    : []),
  ...compositionsOf(arms, worlds),
];

/**
 * The tables: arms against the reference, trained arms against the policy without their adapter, also by composition, and arms
 * against the reference by world and by composition; one without rows is left out.
 * @throws Error where the reference is not an arm
 */
export function studyTables(arms: readonly ArmScores[], options: TableOptions): StudyTable[] {
  const reference = arms.find(({ name }) => name === options.reference);
  if (!reference) throw new Error(`there is no arm "${options.reference}"`);
  const against = (arm: ArmScores, part: Part): TableRow =>
    rowOf(arm.name, arm.end, arm === reference ? null : reference.end, part, options);
  const all = everything(options.worlds);
  const tables: StudyTable[] = [
    {
      id: 'arms',
      title: `Arms, and their differences from ${reference.name}`,
      rows: arms.map((arm) => against(arm, all)),
    },
    {
      id: 'start',
      title: 'What training changed: the same arm less the policy without its adapter',
      rows: arms
        .filter(({ trained }) => trained)
        .flatMap((arm) => [
          rowOf(nameBefore(arm), arm.start, null, all, options),
          { ...rowOf(arm.name, arm.end, arm.start, all, options), against: nameBefore(arm) },
        ]),
    },
    {
      id: 'start-parts',
      title: 'What training changed, by composition',
      rows: compositionsOf(arms, options.worlds).flatMap((part) =>
        arms
          .filter(({ trained }) => trained)
          .map((arm) => ({
            ...rowOf(arm.name, arm.end, arm.start, part, options),
            against: nameBefore(arm),
          })),
      ),
    },
    {
      id: 'parts',
      title: `By world and by composition, and differences from ${reference.name}`,
      rows: partsOf(arms, options.worlds).flatMap((part) => arms.map((arm) => against(arm, part))),
    },
  ];
  return tables.filter(({ rows }) => rows.length > 0);
}
