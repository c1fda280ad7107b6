import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { verdictsSchema } from '../../../src/evaluate/study/signatures/verdict.ts';
import { openStudy } from '../../../src/cli/study/run.ts';
import { labHere } from '../lab.ts';
import { packedLab } from '../packed.ts';

// Starts Node, a policy and a thread several times: seconds on an idle machine, more on a busy one.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const folder = mkdtempSync(join(tmpdir(), 'forage-study-command-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Two steps of one question, and the policy as it is: short rollouts over the shipped world. */
const small = {
  format: 'forage.study/1',
  name: 'small',
  question: 'Does it help?',
  webDelayMs: 1,
  train: {
    worlds: [{ name: 'shipped', folder: resolve('public/world') }],
    seeds: [3],
    steps: 2,
    settings: {
      recipe: 'naive-rag',
      questions: 1,
      groupSize: 3,
      heldOut: { questions: 2, every: 1 },
      stages: [{ steps: 2, reward: 'f1' }],
    },
  },
  evaluate: {
    worlds: [{ name: 'shipped', folder: resolve('public/world') }],
    questions: 3,
    timed: 1,
    reward: { id: 'f1' },
  },
  arms: [
    { name: 'trained', recipe: 'search/grpo' },
    { name: 'not trained', recipe: 'naive-rag', untrained: true },
  ],
  reference: 'trained',
  numbers: ['em', 'f1', 'searches', 'webCalls', 'reward', 'latencyMs'],
  signatures: [
    {
      recipe: 'naive-rag',
      claim: 'It searches once',
      number: 'searches',
      arm: 'not trained',
      than: 1,
      expect: 'equal',
      margin: 0.1,
    },
    {
      recipe: 'ircot',
      claim: 'Training makes it search more',
      number: 'searches',
      arm: 'trained',
      fromStart: true,
      expect: 'higher',
    },
  ],
  interval: { resamples: 50 },
};
const file = join(folder, 'small.json');
writeFileSync(file, JSON.stringify(small));

test('mistakes end with one line that names them all, and nothing is made', async () => {
  const bad = join(folder, 'bad.json');
  const arms = [small.arms[0], { name: 'x', recipe: 'ppo' }];
  const evaluate = { ...small.evaluate, worlds: [{ corpus: ['nowhere.jsonl'], questions: 'q' }] };
  writeFileSync(bad, JSON.stringify({ ...small, arms, evaluate }));
  const out = join(folder, 'never');
  const run = await labHere('study', bad, '--out', out);
  expect(run.status).toBe(2);
  expect(run.err.trim().split('\n')).toHaveLength(1);
  expect(run.err).toMatch(/nowhere\.jsonl is missing.*unknown recipe "ppo"/);
  expect(readdirSync(folder)).not.toContain('never');
  expect((await labHere('study', file)).err).toBe('study needs --out DIR, or --check.\n');
  expect((await labHere('study', '/nowhere.json', '--check')).err).toBe(
    '/nowhere.json is missing.\n',
  );
});

describe('a study', () => {
  const scoresIn = (out: string) =>
    readdirSync(join(out, 'scores'))
      .toSorted()
      .map((name) => {
        const { rows, columns } = JSON.parse(readFileSync(join(out, 'scores', name), 'utf8')) as {
          rows: unknown[][];
          columns: string[];
        };
        // What clocks say is of the moment.
        return [name, rows.map((row) => row.filter((_, i) => columns[i] !== 'latencyMs'))];
      });
  const adaptersIn = (out: string) =>
    readdirSync(join(out, 'trained')).map((key) =>
      readFileSync(join(out, 'trained', key, 'adapter_model.safetensors')).toString('base64'),
    );

  test('killed in a training and started again, it ends as one that was let alone', async () => {
    const killed = join(folder, 'killed');
    const args = ['study', file, '--threads', '1', '--out'];
    const child = spawn(process.execPath, [...packedLab(), ...args, killed], { stdio: 'pipe' });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    // Without a word of goodbye, once the first step is told and its snapshot is being written or is there.
    const runs = join(killed, 'runs');
    const look = setInterval(() => {
      if (!said.includes('step 1/2') || !existsSync(runs)) return;
      if (readdirSync(runs).length > 0) child.kill('SIGKILL');
    }, 2);
    await new Promise((done) => child.once('exit', done));
    clearInterval(look);
    expect(readdirSync(join(killed, 'trained'))).toEqual([]);
    expect(readdirSync(runs)).toHaveLength(1);
    const again = await labHere(...args, killed);
    expect(again.err).not.toMatch(/failed/);
    expect(again.status).toBe(0);
    expect(again.err.match(/scored {3}start-/g) ?? []).toHaveLength(0);

    const whole = join(folder, 'whole');
    mkdirSync(whole);
    expect((await labHere(...args, whole)).status).toBe(0);
    expect(scoresIn(killed)).toEqual(scoresIn(whole));
    expect(adaptersIn(killed)).toEqual(adaptersIn(whole));
    expect(readdirSync(join(killed, 'runs'))).toEqual([]);

    const tables = readdirSync(join(whole, 'studies', 'small'));
    expect(tables.toSorted()).toEqual([
      'curves.csv',
      'curves.svg',
      'table.csv',
      'table.md',
      'table.tex',
    ]);
    // One retrieval a question, whatever is trained: three equal differences of a count have no interval.
    const { policy, verdicts } = verdictsSchema.parse(
      JSON.parse(readFileSync(join(whole, 'signatures.json'), 'utf8')),
    );
    expect(policy?.id).toBe('baize-mini');
    expect(verdicts).toMatchObject([
      { recipe: 'ircot', outcome: 'not shown', n: 3, seeds: [3], study: 'small' },
      {
        recipe: 'naive-rag',
        outcome: 'not shown',
        difference: { mean: 0, low: null, high: null },
        n: 3,
        seeds: [],
        worlds: ['shipped'],
      },
    ]);
    expect(readFileSync(join(whole, 'studies', 'small', 'table.md'), 'utf8')).toContain(
      '| naive-rag | It searches once |',
    );
    // Step 0 and two steps of each training are in the curves.
    const curves = readFileSync(join(whole, 'studies', 'small', 'curves.csv'), 'utf8');
    expect(
      curves
        .trim()
        .split('\n')
        .map((line) => line.split(',').slice(0, 4).join()),
    ).toEqual([
      'arm,seed,trained_on,step',
      ...[0, 1, 2].map((step) => `trained,3,shipped,${step}`),
    ]);

    const nothing = await labHere('study', file, '--check', '--out', whole);
    expect(nothing.out).toMatch(/1 training, 0 to run .*2 scores .* 0 to run/);
    expect(nothing.out).toContain('nothing is left to run');

    // An adapter that was trained elsewhere gives what it gave to the arm that trained it.
    const [key = ''] = readdirSync(join(whole, 'trained'));
    const stored = {
      ...small,
      name: 'stored',
      train: undefined,
      arms: [
        { name: 'as it is', recipe: 'naive-rag', untrained: true },
        {
          name: 'stored',
          recipe: 'naive-rag',
          untrained: true,
          adapter: join(whole, 'trained', key),
        },
      ],
      reference: 'as it is',
      signatures: [],
    };
    const storedFile = join(folder, 'stored.json');
    writeFileSync(storedFile, JSON.stringify(stored));
    const other = join(folder, 'other');
    expect((await labHere('study', storedFile, '--threads', '1', '--out', other)).status).toBe(0);
    const trainedRows = scoresIn(whole).find(([name]) => !String(name).startsWith('start-'))?.[1];
    expect(scoresIn(other).find(([name]) => !String(name).startsWith('start-'))?.[1]).toEqual(
      trainedRows,
    );

    const before = scoresIn(whole);
    const latencies = (name: string, change?: number): unknown[] => {
      const path = join(whole, 'scores', name);
      const score = JSON.parse(readFileSync(path, 'utf8')) as {
        rows: unknown[][];
        columns: string[];
      };
      const at = score.columns.indexOf('latencyMs');
      if (change !== undefined) {
        for (const row of score.rows) if (row[at] !== null) row[at] = change;
        writeFileSync(path, JSON.stringify(score));
      }
      return score.rows.map((row) => row[at]);
    };
    const names = readdirSync(join(whole, 'scores'));
    for (const name of names) expect(latencies(name, 1e9)).toEqual([1e9, null, null]);
    const timed = await labHere(...args, whole, '--time-again');
    expect(timed.status).toBe(0);
    for (const name of names) {
      const [first, ...rest] = latencies(name);
      expect(first).toBeLessThan(1e6);
      expect(rest).toEqual([null, null]);
    }
    expect(scoresIn(whole)).toEqual(before);
  });
});

test('a score killed in its middle continues after the last whole part, to the same rows', async () => {
  const long = join(folder, 'long.json');
  writeFileSync(
    long,
    JSON.stringify({
      ...small,
      name: 'long',
      train: undefined,
      evaluate: { worlds: small.evaluate.worlds, questions: 80 },
      numbers: ['em', 'f1'],
      arms: [{ name: 'not trained', recipe: 'naive-rag', untrained: true }],
      reference: 'not trained',
      signatures: [],
    }),
  );
  const args = ['study', long, '--threads', '1', '--out'];
  const killed = join(folder, 'long-killed');
  const child = spawn(process.execPath, [...packedLab(), ...args, killed], { stdio: 'ignore' });
  const runs = join(killed, 'runs');
  const look = setInterval(() => {
    if (existsSync(runs) && readdirSync(runs).some((name) => name.endsWith('.score.json')))
      child.kill('SIGKILL');
  }, 2);
  await new Promise((done) => child.once('exit', done));
  clearInterval(look);
  expect(readdirSync(join(killed, 'scores'))).toEqual([]);
  interface Rows {
    columns: string[];
    rows: unknown[][];
  }
  const read = (path: string): Rows => JSON.parse(readFileSync(path, 'utf8')) as Rows;
  // A mark in the saved part shows that its questions are not asked again.
  const [saved = ''] = readdirSync(runs);
  const part = read(join(runs, saved));
  expect(part.rows).toHaveLength(64);
  const em = part.columns.indexOf('em');
  part.rows[0]?.splice(em, 1, 0.25);
  writeFileSync(join(runs, saved), JSON.stringify(part));
  expect((await labHere(...args, killed)).status).toBe(0);
  expect(readdirSync(runs)).toEqual([]);
  const whole = join(folder, 'long-whole');
  expect((await labHere(...args, whole)).status).toBe(0);
  const rows = (out: string): unknown[][] => {
    const [name = ''] = readdirSync(join(out, 'scores'));
    return read(join(out, 'scores', name)).rows;
  };
  const [marked, ...rest] = rows(killed);
  expect(marked?.[em]).toBe(0.25);
  expect(rest).toEqual(rows(whole).slice(1));
});

const studies = readdirSync('training/studies')
  .filter((name) => name.endsWith('.json'))
  .map((name) => join('training/studies', name));
test('a folder instead of a study file is refused with a reason', () => {
  expect(() => openStudy('training/studies')).toThrow(
    /^training\/studies cannot be read as a study/,
  );
});

const MAKE = 'training/studies/make-trajectories.sh';
/** The study at `path` beside the files that it needs and the repository does not hold; they are empty: only their presence is checked. */
function withFiles(path: string): string {
  const home = join(mkdtempSync(join(folder, 'with-')), 'studies');
  const { policy, evaluate, arms } = JSON.parse(readFileSync(path, 'utf8')) as {
    policy?: string;
    evaluate: { worlds: { corpus?: string[]; questions?: string }[] };
    arms: { adapter?: string }[];
  };
  const made = [...readFileSync(MAKE, 'utf8').matchAll(/--out \$made\/(\S+)/gu)];
  const needed = [
    ...made.map(([, name = '']) => `trajectories/${name}`),
    policy ?? [],
    evaluate.worlds.map(({ corpus = [], questions = [] }) => [corpus, questions]),
    arms.map(({ adapter = null }) => (adapter === null ? [] : `${adapter}/adapter_config.json`)),
  ].flat(3);
  for (const name of needed) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), '');
  }
  const copy = join(home, basename(path));
  writeFileSync(copy, readFileSync(path));
  return copy;
}

test.each(studies)('%s may be run', (path) => {
  const { file: read, arms } = openStudy(withFiles(path));
  expect(path).toBe(`training/studies/${read.name}.json`);
  expect(arms.length).toBeGreaterThan(1);
});

describe('a sweep of lab train', () => {
  const sweep = (grid: string, ...more: string[]) =>
    labHere('train', '--recipe', 'search/grpo', '--sweep', grid, ...more);

  test('is priced before anything runs', async () => {
    const { out, status } = await sweep('lr=1e-4,3e-4;seed=1,2', '--steps', '3', '--check');
    expect(status).toBe(0);
    expect(out).toMatch(
      /4 trainings, 4 to run \(12 steps, 768 rollouts\); 5 scores of up to 64 questions/,
    );
  });

  test.each([
    [['lr=1e-4', '--check'], /^sweep: lr has one value; give two or more/],
    [['lr=1e-4,2e-4'], /^--sweep needs --out DIR, or --check\.$/],
    [['lr=1,2', '--check', '--kv', 'f16'], /^--sweep does not support --kv; /],
    [['lr=1,2', '--check', '--corpus', 'x.jsonl'], /^--sweep needs --corpus and --questions/],
  ])('%j is refused in one line', async ([grid = '', ...more], message) => {
    const { err, status } = await sweep(grid, ...more);
    expect(status).toBe(2);
    expect(err.trim()).toMatch(message);
    expect(err.trim().split('\n')).toHaveLength(1);
  });
});
