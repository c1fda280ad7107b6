import { measureContents, type ContentsReport } from './contents.ts';
import type { MeasuredWorld } from './measured.ts';
import { measureRecall, type RecallReport, type Share } from './recall.ts';
import { measureRouting, type RoutingReport } from './routing.ts';

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
