import type { Passage } from '../../records/records.ts';
import { groupBy } from '../../base/items.ts';
import { mean, quantile } from '../../base/statistics.ts';
import type { WorldQuestion } from '../../retrieval/world/manifest.ts';
import { share, testQuestions, type MeasuredWorld } from './measured.ts';

/** What is in a world's files, counted. */
export interface ContentsReport {
  passages: { local: number; web: number };
  /** Titles of pages by the corpora that hold them, noise aside. */
  pages: {
    localOnly: number;
    both: number;
    /** Local in an older state, on the web in the current one. */
    stale: number;
    webOnly: number;
    /** Titles that one corpus holds more than once: pages of different entities. */
    sharedTitles: number;
  };
  noise: Readonly<Record<'local' | 'web', Readonly<Record<string, number>>>>;
  /** Questions by split, then type, then hops. */
  forms: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>;
  needs: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Share of yes among questions of yes or no, by split. */
  yes: Readonly<Record<string, number>>;
  /** Answers of test questions; those of yes or no aside. */
  answers: {
    distinct: number;
    questions: number;
    /** Share of the questions whose answer another one has too. */
    repeated: number;
    most: readonly { answer: string; count: number }[];
  };
  /** Tokens of a passage as it is shown, with its title. */
  tokens: { mean: number; p95: number; most: number; over60: number };
}

const counted = <T>(items: Iterable<T>, key: (item: T) => string): Record<string, number> =>
  Object.fromEntries(
    [...groupBy(items, key)]
      .map(([name, group]): [string, number] => [name, group.length])
      .toSorted(([a], [b]) => a.localeCompare(b)),
  );

const splitOf = ({ split }: WorldQuestion): string => split ?? 'none';

export function measureContents(measured: MeasuredWorld): ContentsReport {
  const { world, web } = measured;
  const { local, questions } = world;
  const bySplit = groupBy(questions, splitOf);
  const perSplit = <T>(of: (some: WorldQuestion[]) => T): Record<string, T> =>
    Object.fromEntries([...bySplit].map(([split, some]) => [split, of(some)]));
  return {
    passages: { local: local.length, web: web.length },
    pages: countPages(local, web),
    noise: { local: countNoise(local), web: countNoise(web) },
    forms: perSplit((some) =>
      Object.fromEntries(
        [...groupBy(some, ({ type }) => type ?? 'none')]
          .toSorted(([a], [b]) => a.localeCompare(b))
          .map(([type, group]) => [type, counted(group, ({ hops }) => String(hops ?? 0))]),
      ),
    ),
    needs: perSplit((some) => counted(some, ({ needs }) => needs ?? 'search')),
    yes: perSplit((some) => {
      const asked = some.filter(({ type }) => type === 'yesno');
      return share(asked.filter(({ answers }) => answers[0] === 'yes').length, asked.length);
    }),
    answers: countAnswers(testQuestions(measured)),
    tokens: countTokens(measured),
  };
}

function countPages(local: readonly Passage[], web: readonly Passage[]): ContentsReport['pages'] {
  const clean = (some: readonly Passage[]): Record<string, number> =>
    counted(
      some.filter(({ noise }) => noise === undefined),
      ({ title }) => title,
    );
  const here = new Map(Object.entries(clean(local)));
  const there = new Map(Object.entries(clean(web)));
  const older = new Set(local.filter((p) => p.noise === 'stale').map(({ title }) => title));
  const titles = [...new Set([...here.keys(), ...there.keys()])];
  const count = (of: (title: string) => boolean): number => titles.filter(of).length;
  return {
    localOnly: count((title) => here.has(title) && !there.has(title)),
    both: count((title) => here.has(title) && there.has(title)),
    stale: count((title) => !here.has(title) && there.has(title) && older.has(title)),
    webOnly: count((title) => !here.has(title) && there.has(title) && !older.has(title)),
    sharedTitles: count((title) => (here.get(title) ?? 0) > 1 || (there.get(title) ?? 0) > 1),
  };
}

const countNoise = (some: readonly Passage[]): Record<string, number> =>
  counted(
    some.flatMap(({ noise }) => noise ?? []),
    (noise) => noise,
  );

const MOST = 5;

function countAnswers(questions: readonly WorldQuestion[]): ContentsReport['answers'] {
  const open = questions.filter(({ type }) => type !== 'yesno');
  const counts = Object.entries(counted(open, ({ answers }) => answers[0] ?? ''));
  const repeated = counts.filter(([, n]) => n > 1).reduce((sum, [, n]) => sum + n, 0);
  return {
    distinct: counts.length,
    questions: open.length,
    repeated: share(repeated, open.length),
    most: counts
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, MOST)
      .map(([answer, count]) => ({ answer, count })),
  };
}

/** What a small policy's context can hold several of. */
const LONG = 60;

function countTokens({ world, web, countTokens: tokens }: MeasuredWorld): ContentsReport['tokens'] {
  const lengths = [...world.local, ...web]
    .map(({ title, text }) => tokens(` ${title} : ${text}`))
    .toSorted((a, b) => a - b);
  return {
    mean: mean(lengths),
    p95: quantile(lengths, 0.95),
    most: lengths.at(-1) ?? 0,
    over60: share(lengths.filter((n) => n > LONG).length, lengths.length),
  };
}
