/**
 * The golden run: SHA-256 of what every system samples and of what every training variant learns, with the built-in model
 * on WASM at a fixed seed. A change that moves code and changes no behaviour leaves every hash as it is.
 *
 * npm run golden                        compares with test/golden.json
 * npm run golden -- search search/grpo  these systems and training variants only
 * npm run golden -- --quick             two questions per system, one small step of some training variants
 * npm run golden -- --write             records the hashes
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { messageOf } from '../src/base/errors.ts';
import { RECIPES, TRAININGS } from '../src/systems/index.ts';
import type { Recipe } from '../src/recipes/parts/recipe.ts';
import type { Rollout } from '../src/records/rollout.ts';

const FILE = 'test/golden.json';

/** How much is run: `full` on a quiet machine, `quick` after every change. */
const SIZES = {
  full: { questions: 20, steps: 2, training: ['questions=2', 'groupSize=4'] },
  quick: {
    questions: 2,
    steps: 1,
    training: ['questions=2', 'groupSize=6', 'heldOut.questions=2'],
  },
} as const;

/** Training variants of the quick form: one per kind of loop, grouping and update. */
const QUICK_TRAININGS = [
  'kunlun-baize/whole',
  'search/grpo',
  're-seek/grpo',
  're-seek/hard',
  'arpo/grpo',
  'arpo/hard',
  'arpo/as-released',
  'arpo/as-released-kept',
  'tree-rpo/grpo',
  'rex-rag/grpo',
  'smart-rag/grpo',
  'smart-rag/reset',
  'smart-rag/reset-ppo',
  'inspo/grpo',
  'hrpo/hrpo',
  'hrpo/shut',
  'web-thinker/dpo',
  'web-thinker/links',
  'web-thinker/as-released',
  'web-thinker/as-released-whole',
];

const args = process.argv.slice(2);
const quick = args.includes('--quick');
const kind = quick ? 'quick' : 'full';
const SIZE = SIZES[kind];

const run = promisify(execFile);

/** Sampling and training are exact for one V8 and one kind of processor; others may round otherwise. */
interface Golden {
  node: string;
  cpu: string;
  full?: Record<string, string>;
  quick?: Record<string, string>;
}

async function lab(...args: string[]): Promise<void> {
  await run(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], {
    maxBuffer: 1 << 26,
  });
}

/** Tokens, masks, log-probabilities, texts and answers; neither times nor names of runs. */
function sampled({ seed, question, segments, answer }: Rollout): string {
  const said = segments.map(({ source, role, text, ids, mask, logprobs }) => [
    source,
    role,
    text,
    ids,
    mask,
    logprobs ?? null,
  ]);
  return JSON.stringify([seed, question.id, said, answer]);
}

/** What a step sampled and learned, as numbers; no times. */
const learned = (step: Record<string, unknown>): string =>
  JSON.stringify(
    [
      'rollouts',
      'groups',
      'reward',
      'em',
      'f1',
      'searches',
      'responseTokens',
      'entropy',
      'loss',
      'kl',
      'gradientNorm',
      'sampledTokens',
      'trainedTokens',
    ].map((key) => step[key] ?? null),
  );

const summarizing = ({ settings }: Recipe): string[] =>
  settings.retrieval.summarize === 'on' ? ['--summarizer', 'extractive'] : [];

async function hashOfRollouts(recipe: Recipe, folder: string): Promise<string> {
  const out = join(folder, 'rollouts.jsonl');
  await lab(
    'rollout',
    '--recipe',
    recipe.id,
    ...summarizing(recipe),
    '--limit',
    String(SIZE.questions),
    '--seed',
    '0',
    '--device',
    'wasm',
    '--out',
    out,
  );
  const hash = createHash('sha256');
  for await (const line of createInterface(createReadStream(out)))
    if (line !== '') hash.update(`${sampled(JSON.parse(line) as Rollout)}\n`);
  return hash.digest('hex');
}

async function hashOfTraining(id: string, recipe: Recipe, folder: string): Promise<string> {
  const out = join(folder, 'run');
  await lab(
    'train',
    '--recipe',
    id,
    ...summarizing(recipe),
    '--steps',
    String(SIZE.steps),
    '--seed',
    '0',
    ...SIZE.training.flatMap((one) => ['--set', one]),
    '--device',
    'wasm',
    '--threads',
    '1',
    '--out',
    out,
  );
  // Of the last step alone: how often an earlier one is saved depends on the speed of the machine.
  const adapter = readdirSync(out, { recursive: true, encoding: 'utf8' })
    .filter((file) => /step-0*[1-9]\d*(?:-again)?[/\\]adapter_model\.safetensors$/.test(file))
    .toSorted()
    .at(-1);
  const hash = createHash('sha256');
  if (adapter !== undefined)
    hash.update(`${adapter.replace('-again', '')}\n`).update(readFileSync(join(out, adapter)));
  for (const line of readFileSync(join(out, 'steps.jsonl'), 'utf8').split('\n').filter(Boolean))
    hash.update(learned(JSON.parse(line) as Record<string, unknown>));
  return `${hash.digest('hex')} ${adapter === undefined ? 0 : 1}`;
}

/** What is hashed, by name. */
const TASKS = new Map<string, (folder: string) => Promise<string>>([
  ...RECIPES.map(
    (recipe) => [recipe.id, (folder: string) => hashOfRollouts(recipe, folder)] as const,
  ),
  ...TRAININGS.map(
    ({ id, recipe }) => [id, (folder: string) => hashOfTraining(id, recipe, folder)] as const,
  ),
]);

async function hashesOf(names: readonly string[]): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  const left = [...names];
  const work = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const folder = mkdtempSync(join(tmpdir(), 'golden-'));
      try {
        hashes[name] = (await TASKS.get(name)?.(folder)) ?? '';
      } catch (error) {
        // What a system refuses is part of its behaviour.
        hashes[name] = `refused: ${messageOf(error).split('\n').at(-2) ?? ''}`;
      }
      rmSync(folder, { recursive: true });
      console.error(`${name} ${hashes[name]}`);
    }
  };
  await Promise.all(Array.from({ length: quick ? 1 : availableParallelism() }, work));
  return hashes;
}

const wanted = args.filter((arg) => !arg.startsWith('--'));
const unknown = wanted.filter((name) => !TASKS.has(name));
if (unknown.length > 0)
  throw new Error(`golden: there is no system or training variant ${unknown.join(', ')}`);
const before = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Golden) : null;
const all = [...TASKS.keys()].filter(
  (name) => !quick || !name.includes('/') || QUICK_TRAININGS.includes(name),
);
const hashes = await hashesOf(wanted.length > 0 ? wanted : all);
const here = { node: process.versions.v8, cpu: process.arch };
if (args.includes('--write')) {
  const known = { ...before?.[kind], ...hashes };
  const kept = [...TASKS.keys()].filter((name) => name in known);
  const recorded = { [kind]: Object.fromEntries(kept.map((name) => [name, known[name]])) };
  writeFileSync(FILE, `${JSON.stringify({ ...before, ...here, ...recorded }, null, 2)}\n`);
} else {
  const old = before?.[kind] ?? {};
  const changed = Object.keys(hashes).filter((name) => hashes[name] !== old[name]);
  for (const name of changed)
    console.log(`${name}: ${old[name] ?? 'not recorded'} → ${hashes[name]}`);
  console.log(`golden: ${Object.keys(hashes).length} runs, ${changed.length} changed`);
  if (changed.length > 0 && before?.node !== here.node)
    console.log(
      `They were recorded with V8 ${before?.node}; this is ${here.node}, which may round otherwise.`,
    );
  process.exitCode = changed.length > 0 ? 1 : 0;
}
