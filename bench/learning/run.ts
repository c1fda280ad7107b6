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
 * nothing about the questions. --keep holds the rollouts, and takes those that are there. --json
 * prints each question's exact match, from which the table follows.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { rowMarkdown, rowsOf, TABLE_HEAD, type WorldRecord } from './report.ts';
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

const subjects = runs.map(subjectsOf);
const [first] = subjects;
if (!first) throw new Error('no run');
if (subjects.some(({ before }) => before.args.join(' ') !== first.before.args.join(' ')))
  throw new Error('the runs differ in policy or recipe; give one setting at a time');
const worlds = values.worlds?.split(',').map((name) => (name === 'built-in' ? null : name)) ?? [
  first.before.world,
];

const scored = worlds.map((world) => ({
  world: world ?? 'built-in',
  before: score(first.before, world, options),
  after: subjects.map(({ after }) => score(after, world, options)),
}));

const order = (list: readonly Scored[]): string => list.map(({ question }) => question).join();
if (scored.some(({ before, after }) => after.some((list) => order(list) !== order(before))))
  throw new Error('before and after are not of the same questions');

const digits = (list: readonly Scored[], of: (question: Scored) => number | boolean): string =>
  list.map((question) => String(Number(of(question)))).join('');
const records = scored.map(({ world, before, after }): WorldRecord => ({
  world: basename(world),
  heldOut: digits(before, ({ heldOut }) => heldOut),
  before: digits(before, ({ em }) => em),
  after: after.map((list) => digits(list, ({ em }) => em)),
}));

const mean = (list: readonly number[]): number =>
  list.reduce((sum, value) => sum + value, 0) / Math.max(1, list.length);
const cost = (list: readonly Scored[]) => ({
  f1: mean(list.map(({ f1 }) => f1)),
  searches: mean(list.map(({ searches }) => searches)),
});
const before = cost(scored.flatMap((world) => world.before));
const after = runs.map((_, i) => cost(scored.flatMap((world) => world.after[i] ?? [])));

if (values.json) {
  const named = runs.map((run) => basename(run));
  console.log(JSON.stringify({ runs: named, records, costs: { before, after } }, null, 1));
} else {
  for (const line of [...TABLE_HEAD, ...rowsOf(records).map(rowMarkdown)]) console.log(line);
  const pair = ({ f1, searches }: ReturnType<typeof cost>): string =>
    `${(100 * f1).toFixed(1)} / ${searches.toFixed(2)}`;
  console.log(`\nF1 / searches, all: before ${pair(before)}, after ${after.map(pair).join(', ')}`);
}
