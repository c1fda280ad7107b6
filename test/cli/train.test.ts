import { spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { MadeStep } from '../../src/records/training.ts';
import type { RunFile } from '../../src/cli/train/folder.ts';
import { lab, labFromSources, labHere, type LabRun } from './lab.ts';
import { packedLab } from './packed.ts';

// Each call starts a policy and threads: a second on an idle machine, more on a busy one.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const folder = mkdtempSync(join(tmpdir(), 'forage-train-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SMALL = ['questions=1', 'heldOut.questions=0', 'dynamicSampling=null'];
const small = SMALL.flatMap((change) => ['--set', change]);
/** Short rollouts which earn different rewards in the first steps, so that these change the adapter. */
const LEARNS = [
  'recipe=naive-rag',
  'overrides.retrieval.k=2',
  'questions=2',
  'groupSize=3',
  'temperature=2',
  'stages=[{"steps":3,"reward":"f1","weights":{}}]',
];
const start = (out: string, threads: number): string[] => [
  'train',
  '--recipe=kunlun-baize/dapo',
  '--steps=3',
  '--seed=12',
  ...small,
  ...LEARNS.flatMap((change) => ['--set', change]),
  `--threads=${threads}`,
  '--json',
  `--out=${out}`,
];

const lines = (text: string): MadeStep[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as MadeStep);

const adapterOf = (run: string, step: number): Buffer =>
  readFileSync(join(run, `step-00000${step}`, 'adapter_model.safetensors'));

test('switches go over the recipe, and --set over them', () => {
  const out = join(folder, 'switched');
  const switches = ['--switch', 'speed-rl,gppo', '--switch', 'diversity'];
  const sets = [
    '--set',
    'dynamicSampling.system.screen=2',
    '--set',
    'groupSize=3',
    ...small.slice(0, 4),
  ];
  // Short rollouts: what they say is nothing to this.
  sets.push('--set', 'recipe=naive-rag');
  const rest = ['--steps=1', '--threads=1', '--json', `--out=${out}`];
  const args = ['train', '--recipe', 'search/grpo', ...switches, ...sets, ...rest];
  // As in a clone, where a thread reads TypeScript: here alone.
  const { status, err } = labFromSources(...args);
  expect(status, err).toBe(0);
  const { settings } = JSON.parse(readFileSync(join(out, 'settings.json'), 'utf8')) as RunFile;
  expect(settings).toMatchObject({
    preset: 'search/grpo',
    dynamicSampling: { maxBatches: 1, system: { id: 'speed-rl', screen: 2 } },
    updates: 4,
    objective: { rules: { gppo: {}, diversity: { weight: 0.01 } } },
  });
});

describe('mistakes end with one clear line and status 2', () => {
  const recipe = join(folder, 'recipe.json');
  writeFileSync(recipe, '{"format":"forage.train/1"}');
  const out = join(folder, 'never');

  test.each([
    [['train', '--out', out], /train needs --recipe/],
    [
      ['train', '--recipe', 'ppo', '--out', out],
      /^no recipe "ppo" to train by; did you mean search-r1\/ppo, .*\? There are \d+: “lab recipes” lists them\.$/,
    ],
    [['train', '--recipe', 'search'], /train needs --out DIR/],
    [['train', '--recipe', recipe, '--out', out], /training settings: preset: /],
    [['train', '--recipe', '/nowhere.json', '--out', out], /\/nowhere\.json is missing/],
    [
      ['train', '--recipe', 'ur2', '--set', 'optimizer.lr=1', '--out', out],
      /there is no setting 'optimizer\.lr'/,
    ],
    [
      ['train', '--recipe', 'ur2', '--set', 'steps=0', '--out', out],
      /With 0 steps and no cold start nothing is trained\./,
    ],
    [
      ['train', '--recipe', 'ur2', '--set', 'overrides.sampling.topK=5', '--out', out],
      /top-k 5 is refused/,
    ],
    [
      ['train', '--recipe', 'ur2', '--summarizer-model', 'x', '--out', out],
      /--summarizer-model needs --summarizer URL/,
    ],
    [
      ['train', '--recipe', 'search', '--switch', 'speed', '--out', out],
      /there is no switch "speed"; did you mean speed-rl\? There are speed-rl, online-filtering, /,
    ],
    [
      ['train', '--recipe', 'search', '--switch', 'fspo,gppo', '--switch=posterior-grpo'],
      /fspo and posterior-grpo both change stages\.0\.reward; leave one of them out/,
    ],
    [['train', '--recipe', 'search', '--out', join(recipe, 'below')], /below cannot be made/],
    [
      ['train', '--recipe', 'search/grpo', '--teacher', 'public/policy', '--out', out],
      /--teacher needs a KL: add --switch kdrl/,
    ],
    [
      [
        'train',
        '--recipe=search',
        '--switch=kdrl',
        '--teacher=test/fixtures/qwen3-tiny',
        '--out',
        out,
      ],
      /qwen3-tiny has another vocabulary than \S+, so it cannot score its tokens\./,
    ],
    [['train', '--resume', '/nowhere'], /\/nowhere is no training run/],
    [
      ['train', '--resume', '/nowhere', '--seed', '1'],
      /--resume continues with the run's own --seed/,
    ],
    [
      ['train', '--resume', '/nowhere', '--weights', 'int4'],
      /--resume continues with the run's own --weights/,
    ],
    [
      ['train', '--resume', '/nowhere', '--switch', 'gppo'],
      /--resume continues with the run's own --switch/,
    ],
    [
      ['train', '--resume', '/nowhere', '--kv', 'f16'],
      /--resume continues with the run's own --kv/,
    ],
    [['evaluate', '--adapter', '/nowhere'], /\/nowhere is not an adapter folder/],
    [['evaluate', '--run', '/nowhere'], /\/nowhere is no training run/],
  ])('%j', async (args, message) => {
    const { status, out: printed, err } = await labHere(...args);
    expect(err.trim()).toMatch(message);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(printed).toBe('');
    expect(status).toBe(2);
    expect(existsSync(out)).toBe(false);
  });
});

test('a teacher with the weights of the policy is the policy without its adapter, to the bit', () => {
  const [own, taught] = ['own', 'taught'].map((name) => join(folder, name));
  const run = (out: string, ...more: string[]): LabRun =>
    lab(...start(out, 1), '--steps=2', '--switch=kdrl', ...more);
  const first = run(own!);
  const second = run(taught!, '--teacher=public/policy');
  expect(second.status, second.err).toBe(0);
  expect(adapterOf(taught!, 2)).toEqual(adapterOf(own!, 2));
  // The adapter moved in the first step, so the KL of the second is none of an empty one.
  const kl = lines(second.out).map((step) => step.kl);
  expect(kl).toEqual(lines(first.out).map((step) => step.kl));
  expect(kl[1]).toBeGreaterThan(0);
  expect(lines(second.out).map(({ klCoefficient }) => klCoefficient)).toEqual([
    0.1,
    expect.closeTo(0.01),
  ]);
});

describe('a run', () => {
  const whole = join(folder, 'whole');
  let first: LabRun;
  beforeAll(() => {
    first = lab(...start(whole, 2));
  });

  test('prints a JSON line per step and keeps the last two snapshots', () => {
    expect(first.status).toBe(0);
    expect(lines(first.out).map((s) => s.step)).toEqual([1, 2, 3]);
    expect(readFileSync(join(whole, 'steps.jsonl'), 'utf8')).toBe(first.out);
    expect([1, 2, 3].map((s) => existsSync(join(whole, `step-00000${s}`)))).toEqual([
      false,
      true,
      true,
    ]);
    // Of the step before them its adapter, which is enough to ask with.
    const past = join(whole, 'adapters', 'step-000001');
    expect(readdirSync(past).toSorted()).toEqual([
      'adapter_config.json',
      'adapter_model.safetensors',
    ]);
    for (const { samplerGap } of lines(first.out)) expect(samplerGap.max).toBeLessThan(1e-3);
    // Before and after the kill below: else equal bits would say nothing.
    for (const { gradientNorm } of lines(first.out).slice(0, 2))
      expect(gradientNorm).toBeGreaterThan(0);
  });

  test('a folder with a run in it is not written over', async () => {
    expect((await labHere(...start(whole, 2))).err).toMatch(/has a run already; --resume/);
  });

  test('killed politely, then resumed with fewer threads, it ends in the same bits', async () => {
    const out = join(folder, 'killed');
    const child = spawn(process.execPath, [...packedLab(), ...start(out, 2)], { stdio: 'pipe' });
    child.stdout.once('data', () => child.kill('SIGTERM'));
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect(code).toBe(0);
    const pointer = JSON.parse(readFileSync(join(out, 'latest.json'), 'utf8')) as {
      latest: { step: number };
    };
    expect(pointer.latest.step).toBeLessThan(3);
    // What a crash between a step's record and its snapshot leaves, and half a line.
    appendFileSync(join(out, 'steps.jsonl'), '{"step":3}\n{"ste');
    // From the sources, after packed ones: both compute the same.
    const resumed = await labHere('train', '--resume', out, '--threads', '1', '--json');
    expect(resumed.status).toBe(0);
    expect(lines(readFileSync(join(out, 'steps.jsonl'), 'utf8')).map((s) => s.step)).toEqual([
      1, 2, 3,
    ]);
    expect(adapterOf(out, 3).equals(adapterOf(whole, 3))).toBe(true);
  });

  test('the adapter of any step is evaluated, beside those of others', async () => {
    const args = ['--limit', '2', '--json'];
    const at = (step: number): Promise<LabRun> =>
      labHere('evaluate', '--run', `${whole}@${step}`, ...args);
    const [one, last, byRun] = [
      await at(1),
      await at(3),
      await labHere('evaluate', '--run', whole, ...args),
    ];
    expect(one.status).toBe(0);
    const untimed = ({ out }: LabRun): string => out.replaceAll(/"tokensPerSecond":[\d.e-]+/gu, '');
    expect(untimed(last)).toBe(untimed(byRun));
    expect((await at(9)).err).toContain(
      `${whole} has no adapter of step 9; it has those of 1, 2, 3.`,
    );
    const several = await labHere(
      'evaluate',
      '--recipes=naive-rag',
      `--run=${whole}@1,${whole}@3`,
      '--base',
      '--limit=1',
      '--threads=1',
      '--json',
    );
    const { systems } = JSON.parse(several.out) as { systems: { id: string; policy: string }[] };
    expect(systems.map(({ id }) => id.split('@').at(-1))).toEqual([
      expect.not.stringContaining('whole'),
      'whole-step-1',
      'whole-step-3',
    ]);
    expect(systems[1]?.policy).toMatch(/ with whole, step 1$/u);
  });

  test('its adapter is evaluated by folder and by run, to the same summary', async () => {
    const args = ['--limit', '2', '--seed', '5', '--json'];
    const byRun = await labHere('evaluate', '--run', whole, ...args);
    // The run knows its recipe; an adapter does not.
    const adapter = ['--adapter', join(whole, 'step-000003'), '--recipe=naive-rag', '--k=2'];
    const byFolder = await labHere('evaluate', ...adapter, ...args);
    expect(byRun.status).toBe(0);
    const [a, b] = [byRun.out, byFolder.out].map((t) => JSON.parse(t) as Record<string, unknown>);
    expect(Object.keys(a!).toSorted()).toEqual(
      [
        'byHops',
        'em',
        'f1',
        'formatValid',
        'n',
        'recall',
        'searches',
        'tokensPerSecond',
      ].toSorted(),
    );
    for (const key of ['n', 'em', 'f1', 'recall', 'searches', 'formatValid'])
      expect(a![key]).toBe(b![key]);
  });

  test('the router that it trained routes where the run is evaluated', async () => {
    const out = join(folder, 'routed');
    // Equation (20) with β1 far above 5/6 of β2: at such a rate one update settles on local.
    const local = {
      retrieval: { source: 'router', k: 2 },
      nlr: { reward: 'paper', beta1: 0.9, beta2: 0.1 },
    };
    // Sixteen rollouts: their calls go to both sources, and most of what they earn is local.
    const settings = [
      'router.train=alone',
      'router.learningRate=500',
      'groupSize=4',
      'questions=4',
    ];
    // Asks of no candidate answers, so that these rollouts are short; its searches are routed alike.
    settings.push('recipe=search');
    settings.push(`overrides=${JSON.stringify(local)}`);
    const sets = settings.flatMap((change) => ['--set', change]);
    const trained = await labHere(
      'train',
      '--recipe=kunlun-baize/dapo',
      '--steps=1',
      '--threads=1',
      ...small,
      ...sets,
      '--out',
      out,
    );
    expect(trained.err).not.toMatch(/error/i);
    expect(trained.err).toContain('warning: The printed router reward');
    expect(trained.err).toContain('β1/β2 = 9 > 5/6: always local is best');
    const args = ['--limit', '4', '--seed', '5', '--json'];
    const adapter = ['--adapter', join(out, 'step-000001'), '--recipe=search', '--k=2'];
    const summary = async (...subject: string[]): Promise<Record<string, unknown>> => {
      const { out: printed } = await labHere('evaluate', ...subject, ...args);
      const {
        tokensPerSecond: _,
        byHops: __,
        ...rest
      } = JSON.parse(printed) as Record<string, unknown>;
      return rest;
    };
    const byRun = await summary('--run', out);
    expect(byRun).toEqual(await summary(...adapter, '--source', 'local'));
    const prior = [...adapter, '--source', 'router'];
    const likelier = await summary(...prior);
    expect(byRun).not.toEqual(likelier);
    // The likelier source is taken unless the options say that it is sampled.
    expect(await summary(...prior, '--routing', 'argmax')).toEqual(likelier);
    expect(await summary(...prior, '--routing', 'sampled')).not.toEqual(likelier);
  });

  test('an adapter of which one bit is another is neither merged nor scored', async () => {
    const weights = join(whole, 'step-000003', 'adapter_model.safetensors');
    const bytes = readFileSync(weights);
    const flip = (): void => {
      bytes[bytes.length - 3]! ^= 1;
      writeFileSync(weights, bytes);
    };
    flip();
    const merged = join(folder, 'merged-damaged');
    const folderOfStep = join(whole, 'step-000003');
    for (const args of [
      ['merge', '--run', `${whole}@3`, '--out', merged],
      ['merge', '--adapter', folderOfStep, '--out', merged],
      ['evaluate', '--run', `${whole}@3`, '--limit', '1', '--json'],
      ['evaluate', '--adapter', folderOfStep, '--recipe=naive-rag', '--limit', '1'],
    ]) {
      const { status, err } = await labHere(...args);
      expect(err, args.join(' ')).toContain(`${weights} does not match its hash`);
      expect(status).toBe(2);
    }
    expect(existsSync(merged)).toBe(false);
    const byRun = await labHere('evaluate', '--run', whole, '--limit', '1', '--json');
    expect(byRun.err).toContain(`${weights} does not match its hash; reading step 2`);
    expect(byRun.status).toBe(0);
    flip();
  });

  test('a folder that a process trains in is not begun again by another', async () => {
    const held = join(folder, 'held');
    mkdirSync(held);
    writeFileSync(join(held, 'steps.jsonl'), '{"step":1,"trainedTokens":1}\n');
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await new Promise((started) => other.once('spawn', started));
    try {
      writeFileSync(join(held, 'process'), `${other.pid}\n`);
      const { status, err } = await labHere(...start(held, 1));
      expect(err).toContain(`is being trained by process ${other.pid}`);
      expect(status).toBe(2);
      expect(readFileSync(join(held, 'steps.jsonl'), 'utf8')).toContain('"step":1');
    } finally {
      other.kill('SIGKILL');
    }
  });

  test('a damaged newest snapshot gives way to the one before, with a notice', async () => {
    writeFileSync(join(whole, 'step-000003', 'state.safetensors'), 'no tensors at all');
    const before = adapterOf(whole, 3);
    const resumed = await labHere('train', '--resume', whole, '--threads', '1', '--json');
    expect(resumed.err).toMatch(/does not match its hash; going on from step 2/);
    expect(lines(resumed.out).map((s) => s.step)).toEqual([3]);
    expect(adapterOf(whole, 3).equals(before)).toBe(true);
  });
});
