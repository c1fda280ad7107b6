import { gainOf, type Gain } from '../../src/evaluate/gain.ts';

/** Exact match of one world's questions, a digit each, in the order of its test split. */
export interface WorldRecord {
  world: string;
  /** 1 where training never asks the question's composition of relations. */
  heldOut: string;
  before: string;
  /** By run. */
  after: string[];
}

export interface Row extends Gain {
  name: string;
}

const digitsOf = (text: string): number[] => Array.from(text, Number);

/** @throws RangeError where before and after are not of as many questions */
function gain(records: readonly WorldRecord[], keep: (heldOut: boolean) => boolean): Gain {
  const chosen = (of: (record: WorldRecord) => string): number[] =>
    records.flatMap((record) => {
      const heldOut = digitsOf(record.heldOut);
      return digitsOf(of(record)).filter((_, i) => keep(heldOut[i] === 1));
    });
  const runs = records[0]?.after ?? [];
  return gainOf(
    chosen(({ before }) => before),
    runs.map((_, run) => chosen(({ after }) => after[run] ?? '')),
    { binary: true },
  );
}

/** Each world, all of them, and these by composition. */
export function rowsOf(records: readonly WorldRecord[]): Row[] {
  const all = records.length > 1 ? 'all' : (records[0]?.world ?? '');
  return [
    ...(records.length > 1
      ? records.map((record) => ({ name: record.world, ...gain([record], () => true) }))
      : []),
    { name: all, ...gain(records, () => true) },
    { name: `${all}, held-out compositions`, ...gain(records, (heldOut) => heldOut) },
    { name: `${all}, other compositions`, ...gain(records, (heldOut) => !heldOut) },
  ];
}

const percent = (value: number): string => (100 * value).toFixed(1);
const signed = (value: number): string => (value < 0 ? '−' : '+') + percent(Math.abs(value));

export const TABLE_HEAD = [
  '| questions | n | EM before | EM after | gain | 95 % over questions | SE over seeds |',
  '|---|---:|---:|---:|---:|---|---:|',
];

/** A row of the table; shares as percent, gains in points. */
export function rowMarkdown({ name, n, before, seeds, overQuestions: o, overSeeds }: Row): string {
  const after = seeds.map((seed) => percent(seed.after)).join(', ');
  const interval = o.low === null ? '–' : `${signed(o.low)} to ${signed(o.high)}`;
  const spread = overSeeds === null ? '–' : percent(overSeeds);
  return `| ${name} | ${n} | ${percent(before)} | ${after} | ${signed(o.mean)} | ${interval} | ${spread} |`;
}
