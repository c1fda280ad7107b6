/**
 * What training changed: exact match before and after, question by question.
 *
 *   npx tsx bench/learning/run.ts RUN_DIR… [--worlds DIR,DIR…] [--limit 300] [--temperature 0.3]
 *     [--seed 0] [--keep DIR] [--json]
 *
 * The runs are seeds of one setting. Each is evaluated by `lab evaluate` on the first test questions of
 * every world, of its own world unless --worlds names others ("built-in" is the world that ships);
 * "before" is the same policy without an adapter, with the same sampling seed. Intervals are 95 %, by
 * paired bootstrap over questions; the standard error over seeds is given beside them, since it says
 * nothing about the questions. --keep holds the rollouts, and takes those that are there. --json also
 * prints each question's exact match.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gainOf, type Gain } from '../../src/evaluate/index.ts';
import { score, subjectsOf, type Scored, type ScoreOptions } from './score.ts';

const { values, positionals: runs } = parseArgs({
  allowPositionals: true,
  options: {
    worlds: { type: 'string' },
    limit: { type: 'string', default: '300' },
    temperature: { type: 'string', default: '0.3' },
    seed: { type: 'string', default: '0' },
    keep: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
if (runs.length === 0) throw new Error('give the folders of one or more training runs');
const options: ScoreOptions = {
  keep: values.keep ?? mkdtempSync(join(tmpdir(), 'forage-learning-')),
  limit: values.limit,
  temperature: values.temperature,
  seed: values.seed,
};

interface Scores {
  before: Scored[];
  /** By run. */
  after: Scored[][];
}

const subjects = runs.map(subjectsOf);
const [first] = subjects;
if (!first) throw new Error('no run');
if (subjects.some(({ before }) => before.args.join(' ') !== first.before.args.join(' ')))
  throw new Error('the runs differ in policy or recipe; give one setting at a time');
const worlds = values.worlds?.split(',').map((name) => (name === 'built-in' ? null : name)) ?? [
  first.before.world,
];

const scored = worlds.map((world) => ({
  name: world ?? 'built-in',
  scores: {
    before: score(first.before, world, options),
    after: subjects.map(({ after }) => score(after, world, options)),
  },
}));
const all: Scores = {
  before: scored.flatMap(({ scores }) => scores.before),
  after: runs.map((_, i) => scored.flatMap(({ scores }) => scores.after[i] ?? [])),
};
const only = (keep: (question: Scored) => boolean): Scores => ({
  before: all.before.filter(keep),
  after: all.after.map((list) => list.filter(keep)),
});

const gain = ({ before, after }: Scores): Gain => {
  const order = before.map(({ question }) => question).join();
  if (after.some((list) => list.map(({ question }) => question).join() !== order))
    throw new Error('before and after are not of the same questions');
  const em = (list: readonly Scored[]): number[] => list.map((question) => question.em);
  return gainOf(em(before), after.map(em));
};

const rows = [
  ...(scored.length > 1 ? scored.map(({ name, scores }) => ({ name, ...gain(scores) })) : []),
  { name: scored.length > 1 ? 'all worlds' : (scored[0]?.name ?? ''), ...gain(all) },
  { name: 'held-out compositions', ...gain(only((q) => q.heldOut)) },
  { name: 'other compositions', ...gain(only((q) => !q.heldOut)) },
];
const mean = (list: readonly number[]): number =>
  list.reduce((sum, value) => sum + value, 0) / Math.max(1, list.length);
const cost = (list: readonly Scored[]) => ({
  f1: mean(list.map((q) => q.f1)),
  searches: mean(list.map((q) => q.searches)),
});
const costs = { before: cost(all.before), after: all.after.map(cost) };

/** One digit a question, in the order of the world's test split. */
const digits = (list: readonly Scored[], of: (question: Scored) => number | boolean): string =>
  list.map((question) => String(Number(of(question)))).join('');
const records = scored.map(({ name, scores }) => ({
  world: basename(name),
  heldOut: digits(scores.before, (q) => q.heldOut),
  before: digits(scores.before, (q) => q.em),
  after: scores.after.map((list) => digits(list, (q) => q.em)),
}));

if (values.json)
  console.log(
    JSON.stringify({ runs: runs.map((run) => basename(run)), rows, costs, records }, null, 1),
  );
else {
  const percent = (value: number): string => (100 * value).toFixed(1);
  const signed = (value: number): string => (value < 0 ? '−' : '+') + percent(Math.abs(value));
  console.log(
    '| questions | n | EM before | EM after | gain | 95 % over questions | SE over seeds |',
  );
  console.log('|---|---:|---:|---:|---:|---|---:|');
  for (const { name, n, before, seeds, overQuestions: o, overSeeds } of rows)
    console.log(
      `| ${name} | ${n} | ${percent(before)} | ${seeds.map(({ after }) => percent(after)).join(', ')} | ` +
        `${signed(o.mean)} | ${signed(o.low)} to ${signed(o.high)} | ${overSeeds === null ? '–' : percent(overSeeds)} |`,
    );
  const pair = ({ f1, searches }: { f1: number; searches: number }): string =>
    `${percent(f1)} / ${searches.toFixed(2)}`;
  console.log(
    `\nF1 / searches, all: before ${pair(costs.before)}, after ${costs.after.map(pair).join(', ')}`,
  );
}
