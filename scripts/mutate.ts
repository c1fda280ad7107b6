/**
 * Measures the tests: puts one small fault at a time into the core (an operator, a bound, a constant, a
 * statement left out; see scripts/mutate/mutants.ts), runs the tests that run this place, and counts the
 * faults that none of them notices. No file is changed; the faults go in while the sources are loaded.
 *
 *   npm run mutate -- [--parts agent,learn] [--count 60] [--seed 1] [--file src/agent/budget.ts]
 *                     [--jobs 1] [--budget 60] [--json FILE] [--tests test/agent,test/learn]
 *                     [--without webgpu]
 *
 * `--count` mutants of each part are drawn by the seed; with `--file` all of this file's are taken. A
 * mutant's tests run until one fails, the nearest first, for `--budget` seconds at most (as measured
 * without a mutant); with `--tests` no others than those of these folders, and with `--without` none whose
 * path has one of these words in it, which finds no more than all would. Not counted are those that do not compile, which the check of types finds, and those
 * in test/mutation-equivalent.json, with the reason there. Ctrl-C ends it with what is known by then.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Random } from '../src/base/random.ts';
import { Coverage } from './mutate/coverage.ts';
import { describe, mutantsOf, withMutant, type Mutant } from './mutate/mutants.ts';
import { PARTS, sourcesOf, testFiles } from './mutate/parts.ts';
import { report, type Verdict } from './mutate/report.ts';
import { Runner } from './mutate/runner.ts';
import { parse } from './mutate/syntax.ts';
import { illTyped } from './mutate/types.ts';

const { values } = parseArgs({
  options: {
    parts: { type: 'string', default: Object.keys(PARTS).join(',') },
    file: { type: 'string' },
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    budget: { type: 'string', default: '60' },
    json: { type: 'string' },
    tests: { type: 'string', default: 'test' },
    without: { type: 'string' },
  },
});

/** A mutant that is the program itself, as far as its results go. */
interface Equivalent {
  readonly file: string;
  /** As `describe` says it: it stays the same while lines move. */
  readonly mutant: string;
  readonly reason: string;
}

const EQUIVALENT = 'test/mutation-equivalent.json';
const equivalents = existsSync(EQUIVALENT)
  ? (JSON.parse(readFileSync(EQUIVALENT, 'utf8')) as Equivalent[])
  : [];

const sources = new Map<string, string>();
function sourceOf(file: string): string {
  const source = sources.get(file) ?? readFileSync(file, 'utf8');
  sources.set(file, source);
  return source;
}

function parses(mutant: Mutant): boolean {
  try {
    parse(mutant.file, withMutant(sourceOf(mutant.file), mutant));
    return true;
  } catch {
    return false;
  }
}

/** `count` of the mutants, each as likely as any other. */
function draw(mutants: readonly Mutant[], count: number, random: Random): Mutant[] {
  const left = [...mutants];
  const drawn: Mutant[] = [];
  while (drawn.length < count && left.length > 0) {
    const [mutant] = left.splice(random.below(left.length), 1);
    if (mutant && parses(mutant)) drawn.push(mutant);
  }
  return drawn;
}

function sample(): { part: string; mutant: Mutant }[] {
  const { file } = values;
  if (file !== undefined)
    return mutantsOf(file, sourceOf(file))
      .filter(parses)
      .map((mutant) => ({ part: file, mutant }));
  return values.parts.split(',').flatMap((part) => {
    if (!PARTS[part])
      throw new Error(`--parts ${part}: the parts are ${Object.keys(PARTS).join(', ')}`);
    const all = sourcesOf(part).flatMap((each) => mutantsOf(each, sourceOf(each)));
    console.error(`${part}: ${all.length} mutants`);
    const random = new Random(Number(values.seed));
    return draw(all, Number(values.count), random).map((mutant) => ({ part, mutant }));
  });
}

/** Alternates between parts, so that an interrupted run covers all of them. */
function inTurn<T extends { part: string }>(mutants: readonly T[]): T[] {
  const places = new Map<string, number>();
  const ordered = mutants.map((each) => {
    const place = places.get(each.part) ?? 0;
    places.set(each.part, place + 1);
    return { each, place };
  });
  return ordered.sort((a, b) => a.place - b.place).map(({ each }) => each);
}

/** A run starts a worker and loads what it needs, on a machine that others may use. */
const patience = (ms: number): number => 60_000 + 6 * ms;

async function judge(
  part: string,
  mutant: Mutant,
  coverage: Coverage,
  runner: Runner,
): Promise<Verdict> {
  const source = sourceOf(mutant.file);
  const text = describe(mutant, source);
  const known = equivalents.find((each) => each.file === mutant.file && each.mutant === text);
  if (known) return { part, mutant, text, fate: 'equivalent', why: known.reason };
  const tests = coverage.testsFor(mutant, source, used, Number(values.budget) * 1000);
  if (tests.length === 0) return { part, mutant, text, fate: 'no test' };
  const each = tests.map((test) => coverage.msOf(test));
  const longest = 10_000 + 4 * Math.max(...each);
  const total = each.reduce((sum, ms) => sum + ms, 0);
  const response = await runner.run({ tests, mutant, longest }, patience(total));
  if (!response) return { part, mutant, text, fate: 'timed out', why: 'the run was ended' };
  const [failure] = response.failures;
  if (failure === undefined) return { part, mutant, text, fate: 'lived' };
  const fate = /out of time|timed out in/i.test(failure) ? 'timed out' : 'killed';
  return { part, mutant, text, fate, why: failure };
}

/** Test files measured in parallel; finished measurements are kept if the call is interrupted. */
const AT_ONCE = 8;

/** Measures what tests run that changed since. One that fails without a mutant tells nothing: it is left out. */
async function measure(
  coverage: Coverage,
  runners: readonly Runner[],
  tests: readonly string[],
): Promise<string[]> {
  const stale = coverage.stale(tests);
  if (stale.length > 0) console.error(`measuring what ${stale.length} test files run`);
  const failing: string[] = [];
  await Promise.all(
    runners.map(async (runner) => {
      while (stale.length > 0) {
        const some = stale.splice(0, AT_ONCE);
        const response = await runner.run({ tests: some, longest: 600_000 }, 1_200_000);
        if (!response) throw new Error(`${some.join(', ')}: they do not come to an end`);
        coverage.add(response.covered);
        failing.push(
          ...some.filter((test) => !response.covered.some((each) => each.test === test)),
        );
        for (const failure of response.failures) console.error(`not used: ${failure}`);
      }
    }),
  );
  return failing;
}

const coverage = new Coverage();
const runners = Array.from({ length: Number(values.jobs) }, () => new Runner());
const asked = { toStop: false };
process.once('SIGINT', () => {
  console.error('no further mutants; once more to end at once');
  asked.toStop = true;
  process.once('SIGINT', () => {
    for (const runner of runners) runner.close();
    process.exit(130);
  });
});
const folders = values.tests.split(',');
const without = values.without?.split(',') ?? [];
const tests = testFiles().filter(
  (test) =>
    folders.some((each) => test.startsWith(`${each}/`)) &&
    !without.some((word) => test.includes(word)),
);
const failing = await measure(coverage, runners, tests);
const used = tests.filter((test) => !failing.includes(test));
const waiting = inTurn(sample());
const total = waiting.length;
const verdicts: Verdict[] = [];
await Promise.all(
  runners.map(async (runner) => {
    for (let next = waiting.shift(); next && !asked.toStop; next = waiting.shift()) {
      const verdict = await judge(next.part, next.mutant, coverage, runner);
      verdicts.push(verdict);
      const { mutant, fate, text, why = '' } = verdict;
      const place = `${mutant.file}:${mutant.line}`;
      console.error(`${verdicts.length}/${total} ${fate}: ${place}: ${text} ${why.split('\n')[0]}`);
    }
    runner.close();
  }),
);
const ill = await illTyped(
  verdicts.map(({ mutant }) => mutant),
  sourceOf,
);
const judged = verdicts.map((verdict): Verdict =>
  ill.has(verdict.mutant) ? { ...verdict, fate: 'ill-typed' } : verdict,
);
const order = values.parts.split(',');
judged.sort(
  (a, b) =>
    order.indexOf(a.part) - order.indexOf(b.part) ||
    a.mutant.file.localeCompare(b.mutant.file) ||
    a.mutant.start - b.mutant.start,
);
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(judged, undefined, 1));
console.log(report(judged));
