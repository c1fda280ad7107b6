import { itemAt } from '../../base/items.ts';
import { mean } from '../../base/statistics.ts';
import type { BootstrapOptions } from '../bootstrap.ts';
import type { SeedDifferences } from '../hierarchical.ts';
import { pairedDifference, twice, type PairedDifference } from '../paired-difference.ts';
import { signatureNumber } from './file/numbers.ts';
import type { Slice, StudySignature } from './file/signatures.ts';
import { valueOf, type Row } from './rows.ts';
import { valuesOf, type ArmScores, type Part, type ScoredCell, type SeedValues } from './scores.ts';

/** The difference that a claim of a study is about, question by question, with its interval. */

export interface ContrastOptions {
  worlds: readonly string[];
  /** How many worlds each arm is trained on. */
  trainWorlds: number;
  interval: BootstrapOptions;
}

export interface Contrast {
  difference: PairedDifference;
  /** Questions over all worlds that it is a mean over; those of both slices. */
  n: number;
  seeds: number[];
  worlds: string[];
}

type Arms = ReadonlyMap<string, ArmScores>;

type Where = NonNullable<Slice['where']>;

const inRange = (value: number, { from, to }: Where): boolean =>
  (from === undefined || value >= from) && (to === undefined || value <= to);

/** Questions by what an arm made of them, a mean over its seeds and worlds that it was trained on. */
function chosenBy(where: Where, arms: Arms): (id: string) => boolean {
  const values = new Map<string, number[]>();
  for (const { world, rows } of arms.get(where.arm)?.end ?? [])
    for (const row of rows) {
      const value = valueOf(row, where.number);
      const key = `${world}\n${row.id}`;
      if (value !== null) values.set(key, [...(values.get(key) ?? []), value]);
    }
  return (key) => {
    const own = values.get(key);
    return own !== undefined && inRange(mean(own), where);
  };
}

function partOf(slice: Slice | undefined, arms: Arms, worlds: readonly string[]): Part {
  const { hops, types, source, heldOut, where } = slice ?? {};
  const chosen = where && chosenBy(where, arms);
  return {
    name: '',
    worlds: worlds.filter((name) => slice?.worlds?.includes(name) ?? true),
    keep: (row: Row, world: string) =>
      (hops?.includes(row.hops ?? -1) ?? true) &&
      (types?.some((type) => type === row.type) ?? true) &&
      (source === undefined || row.source === source) &&
      (heldOut === undefined || row.heldOut === Number(heldOut)) &&
      (chosen?.(`${world}\n${row.id}`) ?? true),
  };
}

interface Term {
  sign: 1 | -1;
  cells: readonly ScoredCell[];
}

/** What is added and taken off. Null where an arm is not in the results. */
function termsOf(signature: StudySignature, arms: Arms): Term[] | null {
  const { arm, against, fromStart, beyond } = signature;
  const named: [sign: 1 | -1, name: string | undefined][] = [
    [1, arm],
    [-1, against],
    [-1, beyond?.arm],
    [1, beyond?.against],
  ];
  const terms = named.flatMap(([sign, name]) =>
    name === undefined ? [] : [{ sign, cells: arms.get(name)?.end ?? [] }],
  );
  if (fromStart) terms.push({ sign: -1, cells: arms.get(arm)?.start ?? [] });
  return terms.some(({ cells }) => cells.length === 0) ? null : terms;
}

/** Of one answer less a value or of two, where these are right or wrong; what four terms leave is neither. */
const isOfAnswers = (terms: readonly Term[], { number, than }: StudySignature): boolean =>
  terms.length === (than === undefined ? 2 : 1) && signatureNumber(number).binary === true;

interface Sums {
  seeds: number[];
  /** [seeds][worlds][questions] */
  values: number[][][];
}

/** Sums of the terms by seed; a term without seeds counts for every seed. Questions without a value are left out. */
function sumsOf(
  terms: readonly Term[],
  signature: StudySignature,
  part: Part,
  trained: number,
): Sums {
  const lists = terms.map(({ cells }) => valuesOf(cells, signature.number, part, trained));
  const of = (list: readonly SeedValues[], seed: number | null): SeedValues | undefined =>
    list.find((one) => one.seed === seed) ?? list.find((one) => one.seed === null);
  const all = [...new Set(lists.flatMap((list) => list.flatMap(({ seed }) => seed ?? [])))];
  const seeds = (all.length > 0 ? all : [null]).filter((seed) =>
    lists.every((list) => of(list, seed) !== undefined),
  );
  const perSeed = seeds.map((seed) =>
    part.worlds.map((_, w) => {
      const columns = lists.map((list) => itemAt(of(list, seed)?.values ?? [], w));
      return itemAt(columns, 0).map((_value, q) => {
        const own = columns.map((column) => column[q] ?? null);
        return own.includes(null)
          ? null
          : own.reduce<number>((sum, value, t) => sum + itemAt(terms, t).sign * Number(value), 0);
      });
    }),
  );
  const kept = part.worlds.map((_, w) =>
    (perSeed[0]?.[w] ?? []).flatMap((_value, q) =>
      perSeed.every((worlds) => worlds[w]?.[q] !== null) ? [q] : [],
    ),
  );
  return {
    seeds: all.filter((seed) => seeds.includes(seed)),
    values: perSeed.map((worlds) =>
      kept.map((questions, w) =>
        questions.map((q) => Number(worlds[w]?.[q]) - (signature.than ?? 0)),
      ),
    ),
  };
}

const counted = ({ values }: Sums): number =>
  (values[0] ?? []).reduce((sum, world) => sum + world.length, 0);

/** Worlds of these places alone. */
const only = ({ seeds, values }: Sums, places: readonly number[]): Sums => ({
  seeds,
  values: values.map((worlds) => places.map((place) => itemAt(worlds, place))),
});

/** Twice as many worlds, of which the second half is taken off; twice their mean is the difference. */
const lessThat = (one: Sums, other: Sums): SeedDifferences[] =>
  one.values.map((worlds, s) => [
    ...worlds,
    ...itemAt(other.values, s).map((world) => world.map((value) => -value)),
  ]);

/**
 * The contrast of a claim: `arm − against`, less `beyond.arm − beyond.against`, over the slice, less the same over the
 * questions of `unlike`, which are others and are resampled by themselves.
 * @returns null where an arm is not scored, or no question is left
 * @throws Error where a question is in both slices
 */
export function contrastOf(
  signature: StudySignature,
  list: readonly ArmScores[],
  { worlds, trainWorlds, interval }: ContrastOptions,
): Contrast | null {
  const arms: Arms = new Map(list.map((arm) => [arm.name, arm]));
  const terms = termsOf(signature, arms);
  if (!terms) return null;
  const part = partOf(signature.slice, arms, worlds);
  const own = sumsOf(terms, signature, part, trainWorlds);
  const placesOf = (sums: Sums): number[] =>
    (sums.values[0] ?? []).flatMap((world, place) => (world.length > 0 ? [place] : []));
  if (!signature.unlike) {
    const places = placesOf(own);
    const { than } = signature;
    const binary = isOfAnswers(terms, signature);
    const difference = pairedDifference(own.values, { ...interval, binary, than });
    return (
      difference && {
        difference,
        n: counted(own),
        seeds: own.seeds,
        worlds: places.map((place) => itemAt(part.worlds, place)),
      }
    );
  }
  const others = partOf(signature.unlike, arms, worlds);
  refuseShared(list, part, others);
  const both = part.worlds.filter((name) => others.worlds.includes(name));
  const one = sumsOf(terms, signature, { ...part, worlds: both }, trainWorlds);
  const two = sumsOf(terms, signature, { ...others, worlds: both }, trainWorlds);
  const places = placesOf(one).filter((place) => placesOf(two).includes(place));
  if (places.length === 0) return null;
  const halves = [only(one, places), only(two, places)] as const;
  const half = pairedDifference(lessThat(...halves), interval);
  return (
    half && {
      difference: twice(half),
      n: counted(halves[0]) + counted(halves[1]),
      seeds: one.seeds,
      worlds: places.map((place) => itemAt(both, place)),
    }
  );
}

/** @throws Error where a question is in both parts: resampled twice, it would count twice */
function refuseShared(list: readonly ArmScores[], one: Part, other: Part): void {
  const [first] = list;
  for (const { world, rows } of first?.end ?? [])
    if (one.worlds.includes(world) && other.worlds.includes(world))
      for (const row of rows)
        if (one.keep(row, world) && other.keep(row, world))
          throw new Error(
            `signatures: question ${row.id} of ${world} is in slice and in unlike; they must be others`,
          );
}
