import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RunFile } from '../../../src/cli/train/folder.ts';
import type { MadeStep } from '../../../src/records/training.ts';
import { judgeServer, type JudgeServer } from './judge-server.ts';
import { labHere, type LabRun } from '../lab.ts';

// Each call opens the policy: seconds on an idle machine, more on a busy one.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const folder = mkdtempSync(join(tmpdir(), 'forage-own-'));
const [corpus, questions, run] = ['corpus.jsonl', 'questions.jsonl', 'run'].map((name) =>
  join(folder, name),
) as [string, string, string];
const jsonl = (items: readonly object[]): string =>
  items.map((item) => `${JSON.stringify(item)}\n`).join('');
const TOWNS = [
  'Oslo',
  'Bergen',
  'Bremen',
  'Ghent',
  'Lyon',
  'Porto',
  'Riga',
  'Turku',
  'Graz',
  'Kiel',
];
writeFileSync(
  corpus,
  jsonl(
    TOWNS.map((town, i) => ({
      id: `p${i}`,
      title: `River ${i}`,
      text: `River ${i} runs through ${town}.`,
    })),
  ),
);
const ask = (i: number, split?: string): object => ({
  id: `q${i}`,
  question: `Where does River ${i} run?`,
  answer: TOWNS[i],
  split,
});
writeFileSync(
  questions,
  jsonl(TOWNS.map((_, i) => ask(i, i < 6 ? 'train' : i < 8 ? 'dev' : 'test'))),
);

let server: JudgeServer;
let trained: LabRun;
const recordOf = (): RunFile =>
  JSON.parse(readFileSync(join(run, 'settings.json'), 'utf8')) as RunFile;

const SMALL = ['questions=1', 'groupSize=2', 'heldOut.questions=2', 'recipe=naive-rag'];
const train = (out: string, ...more: string[]): Promise<LabRun> =>
  labHere(
    'train',
    '--recipe=search/grpo',
    '--steps=1',
    '--threads=1',
    '--json',
    ...SMALL.flatMap((change) => ['--set', change]),
    `--corpus=${corpus}`,
    `--questions=${questions}`,
    `--out=${out}`,
    ...more,
  );

beforeAll(async () => {
  server = await judgeServer();
  trained = await train(run, `--judge=${server.url}`);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a run on custom passages and questions', () => {
  test('trains on the train split, scores dev before the first step and after, with the judge', () => {
    expect(trained.status).toBe(0);
    expect(trained.err).toContain('6 for training, 2 held out, 2 for testing, as their file says.');
    const step = JSON.parse(trained.out) as MadeStep;
    expect(step.heldOutAtStart).toMatchObject({ n: 2, judge: { judged: 2, notJudged: 0 } });
    expect(step.heldOut).toMatchObject({ n: 2, judge: { judged: 2, notJudged: 0 } });
    expect(step.drawn).toEqual({ uniform: 1 });
  });

  test('its record names files by content, the split, the judge, and searches the passages alone', () => {
    const { sources, judge, settings } = recordOf();
    expect(sources).toMatchObject({
      corpus: { method: 'lexical', encoder: null, files: [{ path: corpus }] },
      engine: null,
      questions: { path: questions, split: { by: 'field', train: 6, dev: 2, test: 2, left: 0 } },
    });
    expect(judge).toMatchObject({ model: { kind: 'endpoint', model: 'tiny-judge' } });
    expect(settings.overrides).toMatchObject({ retrieval: { source: 'local' } });
  });

  test('is evaluated on its own test questions, over its own passages', async () => {
    // All answers of the other run are wrong, so it learned nothing; supervision on all rollouts always has a gradient.
    const learned = join(folder, 'learned');
    const loss = 'stages.0.loss={"kind":"sft","weight":"uniform","gold":false}';
    expect((await train(learned, '--set', loss)).status).toBe(0);
    const out = join(folder, 'evaluated.jsonl');
    const { status, err } = await labHere('evaluate', '--run', learned, '--out', out, '--json');
    expect([status, err]).toEqual([0, '']);
    const rollouts = readFileSync(out, 'utf8').trim().split('\n');
    expect(
      rollouts.map((line) => (JSON.parse(line) as { question: { id: string } }).question.id),
    ).toEqual(['q8', 'q9']);
    expect(rollouts[0]).toContain('runs through');
  });

  test('whose warm-up finds no right answer says with which option to train without', async () => {
    const { status, err } = await labHere(
      'train',
      '--recipe=kunlun-baize',
      '--steps=1',
      '--threads=1',
      '--set=warmUp.own.rollouts=2',
      `--corpus=${corpus}`,
      `--questions=${questions}`,
      `--out=${join(folder, 'none')}`,
    );
    expect(status).toBe(2);
    expect(err).toMatch(/none of 2 rollouts was correct.* with --set warmUp=null,/);
  });

  test('leaves for another trainer with its passages and questions', async () => {
    const out = join(folder, 'exported');
    const { status, err } = await labHere(
      'export',
      '--run',
      run,
      '--to',
      'trl',
      '--steps',
      '2',
      '--out',
      out,
    );
    // Before it stand warnings of the settings: this run is shorter than a score of held-out questions takes.
    const last = err.trim().split('\n').at(-1) ?? '';
    expect([status, last.split(':')[0]]).toEqual([0, out]);
    expect(readFileSync(join(out, 'corpus/passages-1.jsonl'), 'utf8')).toBe(
      readFileSync(corpus, 'utf8'),
    );
    const asked = readFileSync(join(out, 'questions.jsonl'), 'utf8').trim().split('\n');
    expect(asked.map((line) => (JSON.parse(line) as { split: string }).split)).toEqual([
      ...Array.from({ length: 6 }, () => 'train'),
      'dev',
      'dev',
    ]);
  });

  test('continues only with the files that it started with, wherever they are now', async () => {
    const resume = (...more: string[]) =>
      labHere('train', '--resume', run, '--steps', '2', '--threads', '1', ...more);
    const moved = join(folder, 'moved.jsonl');
    renameSync(corpus, moved);
    expect((await resume()).err).toMatch(
      /The run works with the passages of .*corpus\.jsonl, which is missing\. Put it there again, or name where it is now: --corpus FILE\.\n$/,
    );
    expect((await resume('--corpus', questions)).err).toMatch(
      /questions\.jsonl holds other passages than the run began with/,
    );
    expect((await resume('--corpus', moved, '--corpus', moved)).err).toMatch(
      /works with 1 files of passages, and --corpus names 2/,
    );
    expect((await resume('--method', 'flat')).err).toMatch(
      /continues with the run's own --method; leave it out/,
    );
    expect((await resume('--judge', server.url)).err).toMatch(/the run's own --judge/);
    const on = await resume('--corpus', moved);
    expect(on.err).toMatch(/finished after step 2/);
    expect(recordOf().sources?.corpus?.files[0]?.path).toBe(moved);
  });
});

describe('what cannot be trained on', () => {
  const never = join(folder, 'never');
  const written = (name: string, items: readonly object[]): string => {
    const path = join(folder, name);
    writeFileSync(path, jsonl(items));
    return path;
  };
  const tiny = written('tiny.jsonl', [ask(1)]);
  const plain = written(
    'plain.jsonl',
    TOWNS.map((_, i) => ask(i)),
  );
  test.each([
    [['--questions', '/nowhere.jsonl'], /\/nowhere\.jsonl is not a readable file/],
    [['--corpus', tiny], /no passages found/],
    [
      ['--questions', tiny],
      /none of its 1 questions is left to train on \(0 for training, 1 held out/,
    ],
    [
      ['--questions', plain, '--split-field', 'fold'],
      /no question has train \(or training\) in the field fold/,
    ],
    [['--split-seed', '1'], /--split-seed needs --questions FILE/],
    [['--method', 'flat'], /--method needs --corpus FILE/],
    [
      ['--world', 'x', '--world-seed', '1'],
      /--world names a folder, --world-seed a generated world; give one/,
    ],
    [['--judge', 'built-in'], /The built-in model cannot judge/],
    [['--summarizer', 'built-in'], /The built-in model cannot summarize/],
    [['--summarizer-model', 'x'], /--summarizer-model needs --summarizer URL/],
    [['--engine', 'search-r1=http://127.0.0.1:9'], /--engine search-r1=/],
  ])('train %j', async (args, message) => {
    const { status, err } = await labHere(
      'train',
      '--recipe',
      'search/grpo',
      '--out',
      never,
      ...args,
    );
    expect(err.trim()).toMatch(message);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(status).toBe(2);
  });
});
