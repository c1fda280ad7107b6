import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runGroup } from '../../src/agent/run.ts';
import type { DeviceReport } from '../../src/policy/measure/report.ts';
import { openParts } from '../../src/cli/shared/parts.ts';
import { getRecipe } from '../../src/systems/index.ts';
import type { Rollout } from '../../src/records/rollout.ts';
import { HuggingFaceTokenizer } from '../../src/policy/open/tokenizer.ts';
import { ALL_TESTS } from '../slow/slow.ts';
import { lab, labFromSources, labHere, type LabRun } from './lab.ts';

// Policies and worlds are opened: seconds on an idle machine, more on a busy one.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const folder = mkdtempSync(join(tmpdir(), 'forage-lab-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const readRollouts = (path: string): Rollout[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Rollout);

describe('mistakes end with one clear line and status 2', () => {
  const broken = join(folder, 'broken');
  cpSync('public/policy', broken, { recursive: true });
  writeFileSync(join(broken, 'model.safetensors'), 'no tensors at all');

  test.each([
    [['rollout', '--bogus'], /Unknown option '--bogus'/],
    [['rolout'], /Unknown command 'rolout'\. Commands: ask, rollout/],
    [
      ['rollout', '--world', '/nowhere'],
      /\/nowhere is not a world folder: manifest\.json is missing/,
    ],
    [
      ['rollout', '--policy', '/nowhere'],
      /\/nowhere is not a checkpoint folder: config\.json is missing/,
    ],
    [['rollout', '--policy', broken, '--limit', '1'], /^model\.safetensors: /],
    [
      ['rollout', '--recipe', 'oracle'],
      /^--recipe is 'oracle'; there are 6\d, such as kunlun-baize, search, .*: --help lists them\.$/,
    ],
    [['rollout', '--recipe', 'serch-r1'], /^--recipe is 'serch-r1'; did you mean search-r1 or /],
    [
      ['rollout', '--limit', '1', '--out', '/nowhere/a.jsonl'],
      /\/nowhere\/a\.jsonl cannot be written/,
    ],
    [['ask'], /ask needs "QUESTION"/],
    [['world', '--seed', '1'], /world needs --out DIR/],
    [['bench', 'nothing'], /There is no bench 'nothing'\. Choose one of: gpu, wasm, /],
    [['bench', 'rollout', '--weights', 'int4'], /--weights is for gpu and wasm only/],
    [['ask', 'Who?', '--weights', 'int3'], /must be one of f32, f16, int8, int4/],
    [['ask', 'Who?', '--kv', 'int4'], /must be one of f32, f16/],
    // Without its summaries UR² is another system.
    [['ask', 'Who?', '--recipe', 'ur2'], /^UR² needs a summarizer.*add --summarizer extractive/],
    [['rollout', '--recipe', 'ur2', '--limit', '1'], /^UR² needs a summarizer/],
    [
      ['evaluate', '--recipe', 'ur2-released', '--limit', '1'],
      /^UR², as released needs a summarizer/,
    ],
  ])('%j', async (args, message) => {
    const { status, out, err } = await labHere(...args);
    expect(err.trim()).toMatch(message);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(out).toBe('');
    expect(status).toBe(2);
  });

  // From the sources a training is started by train.test.ts: seconds, which here would tell the same.
  test.each(ALL_TESTS ? [lab, labFromSources] : [lab])(
    'and so does the process that a user starts: %o',
    (start) => {
      const { status, out, err } = start('rolout');
      expect([status, out]).toEqual([2, '']);
      expect(err).toMatch(/^Unknown command 'rolout'\..*\n$/);
    },
  );
});

describe('rollout', () => {
  const args = ['rollout', '--recipe', 'search', '--limit', '3', '--group', '2', '--seed', '11'];
  const [first, second] = ['first', 'second'].map((name) => join(folder, `${name}.jsonl`)) as [
    string,
    string,
  ];
  let run: LabRun;
  beforeAll(async () => {
    run = lab(...args, '--json', '--out', first);
    await labHere(...args, '--json', '--out', second);
  });

  test('prints one JSON object and nothing else', () => {
    expect(run.status).toBe(0);
    const summary = JSON.parse(run.out) as Record<string, unknown>;
    const keys = ['n', 'em', 'f1', 'recall', 'searches', 'formatValid', 'tokensPerSecond'];
    expect(Object.keys(summary).sort()).toEqual([...keys, 'byHops'].sort());
    expect(summary['n']).toBe(6);
    for (const share of ['em', 'f1', 'recall', 'formatValid']) {
      expect(summary[share]).toBeGreaterThanOrEqual(0);
      expect(summary[share]).toBeLessThanOrEqual(1);
    }
    const byHops = Object.values(summary['byHops'] as Record<string, { n: number }>);
    expect(byHops.reduce((sum, { n }) => sum + n, 0)).toBe(6);
  });

  test('the same seed gives the same tokens and log-probabilities, in another process too', () => {
    const [a, b] = [readRollouts(first), readRollouts(second)];
    expect(a).toHaveLength(6);
    expect(a.map((r) => r.segments)).toEqual(b.map((r) => r.segments));
    // Rollouts of one group differ: each has a seed of its own.
    expect(new Set(a.map((r) => r.seed)).size).toBe(6);
  });

  test('the ids of every segment decode to its text, and only the policy’s tokens are trained', () => {
    const read = (name: string) =>
      JSON.parse(readFileSync(`public/policy/${name}`, 'utf8')) as object;
    const tokenizer = new HuggingFaceTokenizer(
      read('tokenizer.json'),
      read('tokenizer_config.json'),
    );
    for (const { segments } of readRollouts(first)) {
      for (const segment of segments) {
        expect(tokenizer.decode(segment.ids)).toBe(segment.text);
        expect(segment.mask).toBe(segment.source === 'policy' ? 1 : 0);
        if (segment.mask === 1) {
          expect(segment.logprobs).toHaveLength(segment.ids.length);
          expect(segment.entropies).toHaveLength(segment.ids.length);
        }
      }
    }
  });
});

describe('questions of compositions that training never asks', () => {
  const questions = JSON.parse(readFileSync('public/world/questions.json', 'utf8')) as {
    id: string;
    split: string;
    composition: string;
  }[];
  const composition = new Map(questions.map((q) => [q.id, q.composition]));
  const trained = new Set(questions.filter((q) => q.split !== 'test').map((q) => q.composition));
  const answered = async (command: string, which: string): Promise<string[]> => {
    const out = join(folder, `${command}-${which}.jsonl`);
    const subset = ['--compositions', which, '--limit', '40', '--out', out];
    const { status } = await labHere(command, '--recipe', 'naive-generation', ...subset, '--json');
    expect(status).toBe(0);
    return readRollouts(out).map(({ question }) => composition.get(question.id) ?? 'none');
  };

  test.each(['rollout', 'evaluate'])('can be scored alone by %s', async (command) => {
    const heldOut = await answered(command, 'held-out');
    expect(heldOut).toHaveLength(40);
    expect(heldOut.filter((composition) => trained.has(composition))).toEqual([]);
    // A chain of relations that training may ask need not be among its 2,400 questions; most are.
    const seen = await answered(command, 'seen');
    expect(seen.filter((composition) => trained.has(composition)).length).toBeGreaterThan(20);
    expect(seen.filter((composition) => heldOut.includes(composition))).toEqual([]);
  });

  test('are not to be had of a file of questions', async () => {
    const file = join(folder, 'questions.jsonl');
    writeFileSync(file, '{"id":"a","question":"Who?","golden_answers":["She"]}\n');
    const from = ['--questions', file, '--compositions', 'held-out'];
    const { status, err } = await labHere('evaluate', ...from);
    expect(status).toBe(2);
    expect(err).toMatch(/These questions have no composition/);
  });
});

test('another seed gives another world, on which rollouts run unchanged', async () => {
  const world = join(folder, 'world');
  const made = await labHere('world', '--seed', '5', '--out', world, '--json');
  expect(made.status).toBe(0);
  const { local, web } = JSON.parse(made.out) as { local: number; web: number };
  expect(local).toBeGreaterThanOrEqual(3000);
  expect(web).toBeGreaterThanOrEqual(8000);
  const run = await labHere(
    'rollout',
    '--world',
    world,
    '--recipe',
    'naive-rag',
    '--limit',
    '2',
    '--json',
  );
  expect(run.status).toBe(0);
  expect((JSON.parse(run.out) as { n: number }).n).toBe(2);
});

test('ask prints each step and ends with the stop reason', async () => {
  const { status, out } = await labHere(
    'ask',
    'Who directed Quilted Harbor?',
    '--recipe',
    'search',
  );
  expect(status).toBe(0);
  const lines = out.trim().split('\n');
  expect(lines.some((line) => line.startsWith('search'))).toBe(true);
  expect(lines.at(-1)).toMatch(/^stop/);
});

test('ask with packed weights records that they are', async () => {
  const ask = ['ask', 'Who directed Quilted Harbor?', '--recipe', 'naive-generation', '--json'];
  const [plain, packed] = [await labHere(...ask), await labHere(...ask, '--weights', 'int4')];
  const revision = ({ out }: LabRun): string => (JSON.parse(out) as Rollout).policy.revision;
  expect(revision(packed)).toBe(`${revision(plain)}+int4`);
});

test('the help of bench names what the message about an unknown one does', async () => {
  const help = await labHere('bench', '--help');
  const named = / {2}NAME +(.+)/u.exec(help.out)?.[1];
  const unknown = await labHere('bench', 'nothing');
  expect(unknown.err.trim()).toBe(`There is no bench 'nothing'. Choose one of: ${named}.`);
  for (const name of ['gpu', 'wasm', 'rollout', 'retrieval', 'page', 'train'])
    expect(named?.split(', ')).toContain(name);
});

test('bench wasm prints what was measured, of which policy and when', async () => {
  const policy = join(import.meta.dirname, '../fixtures/qwen3-tiny');
  const bench = ['bench', 'wasm', '--policy', policy, '--weights', 'int8', '--json'];
  const { status, out, err } = await labHere(...bench);
  expect(status).toBe(0);
  expect(err).toMatch(/^copy +[\d.]+ GB\/s$/m);
  const report = JSON.parse(out) as DeviceReport;
  expect(report).toMatchObject({ format: 'forage.device/1', device: 'wasm' });
  expect(report.policy).toMatchObject({ parameters: 21_696, onDevice: 'int8' });
  expect(report.policy.revision).toMatch(/\+int8$/);
  expect(Math.abs(Date.now() - Date.parse(report.measuredAt))).toBeLessThan(60_000);
  expect(report.figures).toHaveLength(6);
});

describe('ask about a name that no passage mentions', () => {
  const unknown = ['ask', 'Who directed Quilted Harbor?', '--recipe', 'naive-rag'];
  const note =
    'No passage mentions “Quilted Harbor”; any answer is a guess. The built-in encyclopedia is fictional.';

  test('says so before anything is answered', async () => {
    const { status, out } = await labHere(...unknown);
    expect(status).toBe(0);
    expect(out).toMatch(new RegExp(`^note +${note}[^\n]*\nanswer `, 'm'));
  });

  test('beside the one JSON object, not in it', async () => {
    const { out, err } = await labHere(...unknown, '--json');
    expect((JSON.parse(out) as Rollout).format).toBe('forage.rollout/1');
    expect(err).toContain(note);
  });

  test('and no search is cheaper for it', async () => {
    const parts = await openParts({ device: 'wasm' });
    try {
      const [fresh] = await runGroup(parts.deps, {
        question: {
          id: 'typed',
          text: 'Who directed Quilted Harbor?',
          answers: [],
          supporting: [],
        },
        recipe: getRecipe('naive-rag'),
        seed: 0,
        size: 1,
        runId: 'ask',
        groupId: 'ask',
        step: 0,
      });
      const paid = (rollout: Rollout | undefined) =>
        rollout?.events.flatMap((event) =>
          event.kind === 'retrieve' ? [[event.requests, event.bytes]] : [],
        );
      const asked = JSON.parse((await labHere(...unknown, '--json')).out) as Rollout;
      expect(paid(fresh)?.[0]?.[0]).toBeGreaterThan(0);
      expect(paid(asked)).toEqual(paid(fresh));
    } finally {
      parts.dispose();
    }
  });

  test('and nothing of a name that the corpus in use has', async () => {
    const corpus = join(folder, 'own.jsonl');
    const row = { id: 'a', title: 'Quilted Harbor', text: 'Quilted Harbor is by Ada Quux.' };
    writeFileSync(corpus, JSON.stringify(row));
    const { out, err } = await labHere(...unknown, '--corpus', corpus);
    expect(out + err).not.toContain('No passage');
  });
});
