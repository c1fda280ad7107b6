import { type MeasuredWorld, share, testQuestions, Gold } from './measured.ts';
import { measureRecall, type RecallReport, type Share } from './recall.ts';
import type { Passage } from '../../records/records.ts';
import { groupBy, present } from '../../base/items.ts';
import { mean, quantile } from '../../base/statistics.ts';
import type { WorldQuestion } from '../../retrieval/world/manifest.ts';
import { coverageOf } from '../../agent/router/coverage.ts';
import {
  FEATURE_NAMES,
  routerFeatures,
  type FeatureName,
  type RouterState,
} from '../../agent/router/features.ts';
import type { SourceName } from '../../records/hits.ts';

interface RoutingReport {
  /** Gold queries of test questions, and the share of them that the local corpus answers rightly. */
  queries: number;
  local: number;
  /** The feature that, compared with one threshold, names the right source most often. */
  bestRoutingFeature: { name: FeatureName; accuracy: number };
  /** The same for every feature. */
  features: readonly { name: FeatureName; accuracy: number }[];
}

interface RoutedQuestion {
  features: Readonly<Record<FeatureName, number>>;
  /** Local where the local corpus holds what is right: it is the cheaper of the two. */
  right: SourceName;
}

/** The protocol's limit on searches, the shipped policy's context, and the passages of a result. */
const [SEARCHES, CONTEXT, PASSAGES] = [8, 1024, 3];

/** The state before each gold query, where every query before it went to the right source and found. */
export function routedSteps(measured: MeasuredWorld): RoutedQuestion[] {
  const { world, countTokens } = measured;
  const gold = new Gold(measured);
  const localCoverage = coverageOf(world.local);
  const passages = [...world.local, ...measured.web];
  const sample = passages.slice(0, 500).map(({ title, text }) => countTokens(`${title} : ${text}`));
  const result =
    PASSAGES *
    share(
      sample.reduce((a, b) => a + b, 0),
      sample.length,
    );
  return testQuestions(measured).flatMap(({ text, chain = [] }) => {
    const past: RouterState['past'][number][] = [];
    let used = countTokens(text);
    return chain.map((step): RoutedQuestion => {
      const right: SourceName = gold.of(step).gold.local.size > 0 ? 'local' : 'web';
      const features = routerFeatures({
        question: text,
        query: step.query,
        round: past.length + 1,
        maxSearches: SEARCHES,
        past: [...past],
        roomLeft: Math.max(0, 1 - used / CONTEXT),
        localCoverage: localCoverage(step.query),
      });
      past.push({ query: step.query, source: right, missed: false });
      used += countTokens(step.query) + result;
      return { features, right };
    });
  });
}

/**
 * The best share right of "local where the value is above a threshold" and of its opposite, over all
 * thresholds; naming one source always is among them.
 * @param cases value and whether local is right
 */
export function bestThreshold(cases: readonly { value: number; local: boolean }[]): number {
  const sorted = cases.toSorted((a, b) => a.value - b.value);
  const locals = sorted.filter(({ local }) => local).length;
  const total = sorted.length;
  // Web below the threshold, local from it on: all of them at first.
  let right = locals;
  let best = Math.max(right, total - right);
  for (const [i, { local, value }] of sorted.entries()) {
    right += local ? -1 : 1;
    const next = sorted[i + 1];
    if (next && next.value === value) continue;
    best = Math.max(best, right, total - right);
  }
  return share(best, total);
}

function measureRouting(measured: MeasuredWorld): RoutingReport {
  const steps = routedSteps(measured);
  const features = FEATURE_NAMES.map((name) => ({
    name,
    accuracy: bestThreshold(
      steps.map((step) => ({ value: step.features[name], local: step.right === 'local' })),
    ),
  }));
  const [best] = features.toSorted((a, b) => b.accuracy - a.accuracy);
  return {
    queries: steps.length,
    local: share(steps.filter(({ right }) => right === 'local').length, steps.length),
    bestRoutingFeature: present(best, 'a feature'),
    features,
  };
}

/** What is in a world's files, counted. */
interface ContentsReport {
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

function measureContents(measured: MeasuredWorld): ContentsReport {
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

/** What a world is measured to be; `lab world --report` prints it. */
export interface WorldReport extends RecallReport, Omit<RoutingReport, 'queries' | 'local'> {
  format: 'forage.world-report/1';
  seed: number;
  /** Gold queries of test questions, and the share that the local corpus answers rightly. */
  goldQueries: { n: number; local: number };
  contents: ContentsReport;
}

export async function measureWorld(
  measured: MeasuredWorld,
  onProgress?: (done: number, total: number) => void,
): Promise<WorldReport> {
  const { seed } = measured.world.manifest;
  const { queries, local, ...routing } = measureRouting(measured);
  return {
    format: 'forage.world-report/1',
    seed,
    goldQueries: { n: queries, local },
    ...(await measureRecall(measured, onProgress)),
    ...routing,
    contents: measureContents(measured),
  };
}

const percent = (value: number | null): string =>
  value === null ? '-' : `${(100 * value).toFixed(1)} %`;
const of = ({ value, n }: Share): string => `${percent(value)} of ${n}`;
const row = (name: string, text: string): string => `  ${name.padEnd(36)}${text}`;

/** The report as text. */
export function reportText(report: WorldReport): string {
  const { recallAt5, secondQuery, misleading, contents } = report;
  const { pages, answers, tokens } = contents;
  const counts = (some: Readonly<Record<string, number>>): string =>
    Object.entries(some)
      .map(([name, n]) => `${name} ${n}`)
      .join(', ');
  return [
    `world of seed ${report.seed}: ${contents.passages.local} local and ${contents.passages.web} web passages`,
    'gold queries of test questions that reach their passage in the first 5',
    row('by words', percent(recallAt5.lexical)),
    row('by vectors (local)', percent(recallAt5.dense)),
    row('as searched, each source', percent(recallAt5.fused)),
    row('as searched, both sources at once', percent(recallAt5.both)),
    ...Object.entries(report.bySource).map(([name, s]) => row(`  ${name}`, of(s))),
    row(
      'both sources at once, first 1, 2, 3, 5',
      Object.values(report.bothAt)
        .map((value) => percent(value))
        .join(', '),
    ),
    row('with a better second query', percent(secondQuery.recallAt5)),
    row('misses that it fixes', of(secondQuery.mended)),
    row('of these, visible in the first results', of(secondQuery.told)),
    'misleading results, both sources at once',
    row('first hit right', of(misleading.rightFirst)),
    row('a wrong value among the first 5', of(misleading.wrongAmongFive)),
    row('a wrong value above the right one', of(misleading.wrongAbove)),
    row('only a wrong value, asked locally', of(misleading.onlyWrongLocally)),
    "the question's own words retrieve all evidence",
    ...Object.entries(report.backgroundSuffices).map(([needs, s]) => row(`needs ${needs}`, of(s))),
    `one feature against the right source, of ${report.goldQueries.n} (local ${percent(report.goldQueries.local)})`,
    ...report.features
      .toSorted((a, b) => b.accuracy - a.accuracy)
      .slice(0, 5)
      .map(({ name, accuracy }) => row(name, percent(accuracy))),
    'pages by title',
    row('local only', String(pages.localOnly)),
    row('both', String(pages.both)),
    row('local stale, web current', String(pages.stale)),
    row('web only', String(pages.webOnly)),
    row('titles of several', String(pages.sharedTitles)),
    row('noise, local', counts(contents.noise.local)),
    row('noise, web', counts(contents.noise.web)),
    ...Object.entries(contents.forms).flatMap(([split, types]) => [
      `${split} questions by hops (yes ${percent(contents.yes[split] ?? 0)})`,
      ...Object.entries(types).map(([type, hops]) => row(type, counts(hops))),
      row('by what they need', counts(contents.needs[split] ?? {})),
    ]),
    'answers of test questions',
    row('different', `${answers.distinct} of ${answers.questions}`),
    row('shared with another question', percent(answers.repeated)),
    row('most frequent', answers.most.map(({ answer, count }) => `${answer} ${count}`).join(', ')),
    'tokens per passage',
    row('mean, 95 %, most', `${tokens.mean.toFixed(1)}, ${tokens.p95.toFixed(0)}, ${tokens.most}`),
    row('over 60', percent(tokens.over60)),
  ].join('\n');
}
