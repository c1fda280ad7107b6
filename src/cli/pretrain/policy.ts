import { readFileSync, copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { CURSOR_START, ExampleSource, type DrillKind } from '../../pretrain/policy/batches.ts';
import { Learner, PART_MULTIPLE, partCount } from '../../pretrain/policy/learner.ts';
import { messageOf } from '../../base/errors.ts';
import { grow, type Vocabulary } from '../../pretrain/policy/grow.ts';
import { DEFAULT_SETTINGS, shapeOf, type PretrainSettings } from '../../pretrain/policy/plan.ts';
import { Replica, type Example, type SharedState } from '../../pretrain/policy/replica.ts';
import { Streams, streamSeed, type BatchSource } from '../../pretrain/policy/streams.ts';
import {
  evaluateHeldOut,
  runPretraining,
  type Progress,
  type StepLog,
} from '../../pretrain/policy/run.ts';
import {
  parsePolicyConfig,
  type PolicyConfig,
  toHuggingFaceConfig,
} from '../../policy/checkpoint/config.ts';
import type { HuggingFaceTokenizer } from '../../policy/open/tokenizer.ts';
import { prepareNode, prepareNodeWebGpu } from '../../policy/node/prepare.ts';
import { Trainer } from '../../pretrain/policy/train.ts';
import {
  initWeights,
  parameterCount,
  parameterSlots,
  readWeights,
  viewWeights,
  type PolicyWeights,
  writeWeights,
} from '../../policy/checkpoint/weights.ts';
import { appendLines } from '../shared/append.ts';
import { makeFolders } from '../shared/path-fault.ts';
import { commandHelp, UsageError } from '../shared/options.ts';
import { lastOf } from '../../base/items.ts';
import {
  COMMAND,
  readOptions,
  type RunOptions,
  definedSettings,
  settingsSchema,
} from './options.ts';
import { readTokenizer } from './tokenizer-files.ts';
import { DrawThread, LearnThread, sharedState } from './threads.ts';
import { createHash } from 'node:crypto';
import { readSafetensors, writeSafetensors } from '../../policy/checkpoint/safetensors.ts';
import { writeSafely } from '../shared/write-safely.ts';

/**
 * A run's folder: `latest.json` names a snapshot folder and the SHA-256 of its tensors. A
 * snapshot is written whole under a new name before `latest.json` is renamed onto, so that a
 * killed process leaves the one before in force.
 */

const count = z.number().int().nonnegative();
const cursorSchema = z.object({
  trajectories: count,
  spans: count,
  drills: count,
});
const pointerSchema = z.object({
  folder: z.string(),
  previous: z.string().nullable(),
  sha256: z.string(),
  progress: z.object({
    step: count,
    tokens: count,
    cursor: cursorSchema.extend({ streams: z.array(cursorSchema).optional() }),
  }),
  settings: settingsSchema,
});

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const STATE = 'state.safetensors';

function saveSnapshot(
  out: string,
  state: SharedState,
  progress: Progress,
  settings: PretrainSettings,
): void {
  const before = readPointer(out);
  const folder = `step-${String(progress.step).padStart(6, '0')}`;
  const names = ['weights', 'first', 'second'] as const;
  const bytes = writeSafetensors(
    new Map(names.map((name) => [name, { shape: [state[name].length], data: state[name] }])),
  );
  mkdirSync(join(out, folder), { recursive: true });
  writeSafely(join(out, folder, STATE), bytes);
  const previous = before === undefined || before.folder === folder ? null : before.folder;
  const pointer = { folder, previous, sha256: sha256(bytes), progress, settings };
  writeSafely(join(out, 'latest.json'), `${JSON.stringify(pointer, null, 2)}\n`);
  if (before?.previous && before.previous !== folder)
    rmSync(join(out, before.previous), { recursive: true, force: true });
}

function readPointer(out: string): z.infer<typeof pointerSchema> | undefined {
  const path = join(out, 'latest.json');
  if (!existsSync(path)) return undefined;
  try {
    return pointerSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    throw new UsageError(`${path} is damaged.`);
  }
}

/** Progress and settings of a run's last snapshot. */
function readProgress(out: string): { progress: Progress; settings: PretrainSettings } {
  const pointer = readPointer(out);
  if (pointer === undefined) throw new UsageError(`${out} holds no snapshot.`);
  return {
    progress: pointer.progress,
    settings: { ...DEFAULT_SETTINGS, ...definedSettings(pointer.settings) },
  };
}

/** Fills the buffers from a run's last snapshot. @throws UsageError where it is damaged */
function loadState(out: string, state: SharedState): void {
  const pointer = readPointer(out);
  if (pointer === undefined) throw new UsageError(`${out} holds no checkpoint.`);
  const path = join(out, pointer.folder, STATE);
  if (!existsSync(path)) throw new UsageError(`${path} is missing.`);
  const bytes = readFileSync(path);
  if (sha256(bytes) !== pointer.sha256) throw new UsageError(`${path} does not match its hash.`);
  const tensors = readSafetensors(bytes);
  for (const name of ['weights', 'first', 'second'] as const) {
    const data = tensors.get(name)?.data;
    if (data?.length !== state[name].length)
      throw new UsageError(`${path} holds another shape than the settings.`);
    state[name].set(data);
  }
}

/** Writes a Hugging Face folder: config, weights in f16, tokenizer. Each file appears whole. */
function exportPolicy(
  folder: string,
  name: string,
  weights: PolicyWeights,
  tokenizer: { folder: string; endOfText: number; pad: number },
): void {
  mkdirSync(folder, { recursive: true });
  const { endOfText, pad } = tokenizer;
  const config = {
    _name_or_path: name,
    ...toHuggingFaceConfig(weights.config, 'float16', endOfText, pad),
  };
  writeSafely(join(folder, 'model.safetensors'), writeWeights(weights, 'F16'));
  writeSafely(join(folder, 'config.json'), `${JSON.stringify(config, null, 2)}\n`);
  for (const file of ['tokenizer.json', 'tokenizer_config.json'])
    if (join(folder, file) !== join(tokenizer.folder, file))
      copyFileSync(join(tokenizer.folder, file), join(folder, file));
}

/** `lab pretrain`: trains the built-in policy from scratch on fresh worlds. */

/** Seeds of held-out data, far from those of training. */
const HELD_OUT_SEED = 900_000_001;
const HELD_OUT_DRILLS = 400;

function heldOut(
  tokenizer: HuggingFaceTokenizer,
  count: number,
  { maxLength }: PretrainSettings,
): Example[] {
  const source = new ExampleSource(HELD_OUT_SEED, tokenizer, maxLength);
  const cursor = { ...CURSOR_START };
  return Array.from({ length: count }, () => source.trajectory(cursor, 0));
}

/** Everything one run holds. */
interface Run {
  out: string;
  options: RunOptions;
  settings: PretrainSettings;
  tokenizer: HuggingFaceTokenizer;
  state: SharedState;
  weights: PolicyWeights;
  start: Progress;
}

/** Weights of an exported checkpoint, with fresh optimizer moments; grown where the shape differs. */
function exportedWeights(
  folder: string,
  config: PolicyConfig,
  tokenizer: string,
  seed: number,
): Float32Array {
  const stored = parsePolicyConfig(
    JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as unknown,
  );
  const weights = readWeights(stored, readFileSync(join(folder, 'model.safetensors')));
  const [from, to] = [folder, tokenizer].map((place) => readVocabulary(place));
  const same =
    JSON.stringify(parameterSlots(stored)) === JSON.stringify(parameterSlots(config)) &&
    readFileSync(join(folder, 'tokenizer.json'), 'utf8') ===
      readFileSync(join(tokenizer, 'tokenizer.json'), 'utf8');
  if (same || !from || !to) return weights.flat;
  try {
    return grow(weights, from, config, to, seed).flat;
  } catch (error) {
    throw new UsageError(`${folder} cannot be grown to this run's shape: ${messageOf(error)}`);
  }
}

const vocabularySchema = z.looseObject({
  model: z.looseObject({ vocab: z.record(z.string(), z.number()) }),
  added_tokens: z.array(z.looseObject({ id: z.number(), content: z.string() })),
});

/** What growing needs to know of a folder's tokenizer. */
function readVocabulary(folder: string): Vocabulary {
  const tokenizer = readTokenizer(folder);
  const json: unknown = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8'));
  const { model, added_tokens: added } = vocabularySchema.parse(json);
  const specials = new Set(added.map(({ id }) => id));
  const ids = new Map([
    ...Object.entries(model.vocab),
    ...added.map(({ content, id }) => [content, id] as const),
  ]);
  const spellings = new Map([...ids].map(([spelling, id]) => [id, spelling]));
  return {
    size: tokenizer.vocabSize,
    spelling: (id) => spellings.get(id),
    id: (spelling) => ids.get(spelling),
    isSpecial: (id) => specials.has(id),
    text: (id) => tokenizer.decode([id]),
    encode: (text) => tokenizer.encodeText(text),
  };
}

function prepare(options: RunOptions): Run {
  const out = options.resume ?? options.out;
  const resumed = options.resume === undefined ? undefined : readProgress(out);
  const settings = { ...DEFAULT_SETTINGS, ...resumed?.settings, ...options.given };
  const tokenizer = readTokenizer(options.tokenizer);
  if (tokenizer.specialId('<form>') === undefined)
    throw new UsageError(
      `${options.tokenizer} lacks the tags that demonstrations are written in; use the tokenizer of public/policy.`,
    );
  // The vocabulary fills whole SIMD vectors; ids beyond the tokenizer's are never used.
  const config = shapeOf(settings, Math.ceil(tokenizer.vocabSize / 8) * 8);
  // A batch overshoots by less than one sequence of each stream.
  const parts = partCount(
    settings.tokensPerStep + settings.streams * settings.maxLength,
    settings.microTokens,
    partMultiple(options),
  );
  const state = sharedState(parameterCount(config), parts);
  if (resumed) loadState(out, state);
  else if (options.init !== undefined)
    state.weights.set(exportedWeights(options.init, config, options.tokenizer, settings.seed));
  else initWeights(config, settings.seed, state.weights);
  const start = resumed?.progress ?? { step: 0, tokens: 0, cursor: CURSOR_START };
  const drawn = start.cursor.streams?.length ?? 1;
  if (start.step > 0 && drawn !== settings.streams)
    throw new UsageError(
      `The run in ${out} has ${drawn} data ${drawn === 1 ? 'stream' : 'streams'}; resume without --streams, or with --streams ${drawn}.`,
    );
  const weights = viewWeights(config, state.weights);
  return { out, options, settings, tokenizer, state, weights, start };
}

/** On a GPU one pass takes the whole part. */
const partMultiple = ({ device }: RunOptions): number => (device === 'webgpu' ? 1 : PART_MULTIPLE);

/** What computes gradients and updates, and how to end it. */
async function startLearner(
  { options, settings, weights, state }: Run,
  threads: LearnThread[],
): Promise<Learner> {
  const { config } = weights;
  const { microTokens, maxLength } = settings;
  // A part may exceed its share by less than one sequence.
  const limits = { maxTokens: microTokens + maxLength, maxLength };
  const onGpu = options.device === 'webgpu';
  for (let index = 0; index < settings.threads; index++)
    threads.push(
      new LearnThread({
        index,
        replicas: settings.threads,
        config,
        shared: state,
        limits: onGpu ? null : limits,
      }),
    );
  if (!onGpu) return new Learner({ replicas: threads, updaters: threads }, state);
  await prepareNodeWebGpu();
  const { createTrainableWebGpuOps } = await import('../../policy/webgpu/learning/ops.ts');
  const trainer = await Trainer.create(config, limits, createTrainableWebGpuOps);
  const replicas = [new Replica(trainer, state)];
  return new Learner({ replicas, updaters: threads, partMultiple: partMultiple(options) }, state);
}

/** Where batches come from: this thread, or several of their own. */
function startSource({ options, settings, tokenizer }: Run, threads: DrawThread[]): BatchSource {
  const { seed, maxLength, streams } = settings;
  if (streams === 1) return new ExampleSource(seed, tokenizer, maxLength);
  for (let stream = 0; stream < streams; stream++)
    threads.push(
      new DrawThread({
        seed: streamSeed(seed, stream),
        tokenizer: options.tokenizer,
        maxLength,
      }),
    );
  return new Streams(threads);
}

function log({ out }: Run, record: object): void {
  const line = JSON.stringify({ ...record, time: new Date().toISOString() });
  appendLines(join(out, 'log.jsonl'), [line]);
}

function save({ out, options, settings, tokenizer, state, weights }: Run, at: Progress): void {
  saveSnapshot(out, state, at, settings);
  if (options.export === undefined) return;
  const pad = tokenizer.specialId('<|pad|>') ?? tokenizer.endOfText;
  const { endOfText } = tokenizer;
  exportPolicy(options.export, options.name, weights, {
    folder: options.tokenizer,
    endOfText,
    pad,
  });
}

/** Accuracy on held-out exercises; null where none of that kind are trained. */
async function rightVerdicts({ settings, tokenizer }: Run, learner: Learner, kind: DrillKind) {
  if (settings.drillShare === 0) return null;
  const source = new ExampleSource(HELD_OUT_SEED, tokenizer, settings.maxLength);
  const { all } = await evaluateHeldOut(learner, source.drills(HELD_OUT_DRILLS, kind));
  return all.whole;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

/** Seconds as h:mm:ss. */
function clock(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  return `${Math.floor(s / 3600)}:${String(Math.floor(s / 60) % 60).padStart(2, '0')}:${String(s % 60).padStart(2, '0')}`;
}

/** Means over the steps since the last progress line. */
class Meter {
  #logs: StepLog[] = [];
  #since = performance.now();
  #tokens: number;

  constructor(tokens: number) {
    this.#tokens = tokens;
  }

  add(log: StepLog): void {
    this.#logs.push(log);
  }

  line(steps: number): { text: string; record: Record<string, unknown> } {
    const last = lastOf(this.#logs, 'log');
    const mean = (of: (log: StepLog) => number): number =>
      this.#logs.reduce((sum, log) => sum + of(log), 0) / this.#logs.length;
    const seconds = (performance.now() - this.#since) / 1000;
    const rate = (last.tokens - this.#tokens) / seconds;
    const eta = ((steps - last.step) * seconds) / this.#logs.length;
    const record = {
      type: 'train',
      step: last.step,
      tokens: last.tokens,
      tokensPerSecond: Math.round(rate),
      loss: mean((l) => l.loss),
      accuracy: mean((l) => l.accuracy),
      whole: mean((l) => l.whole),
      gradientNorm: mean((l) => l.gradientNorm),
      lr: last.lr,
      environmentWeight: last.environmentWeight,
    };
    const text =
      `step ${last.step}/${steps}  ${(last.tokens / 1e6).toFixed(2)} M tokens  ${Math.round(rate)} tok/s  ` +
      `loss ${record.loss.toFixed(4)}  tokens right ${percent(record.accuracy)}  ` +
      `whole ${percent(record.whole)}  lr ${last.lr.toExponential(2)}  ETA ${clock(eta)}`;
    this.#logs = [];
    this.#since = performance.now();
    this.#tokens = last.tokens;
    return { text, record };
  }
}

async function evaluate(run: Run, learner: Learner, held: Example[], step: number): Promise<void> {
  const { all, byKind } = await evaluateHeldOut(learner, held);
  const verdicts = await rightVerdicts(run, learner, 'compare');
  const reckoned = await rightVerdicts(run, learner, 'reckon');
  const read = await rightVerdicts(run, learner, 'read');
  log(run, {
    type: 'eval',
    step,
    all,
    byKind,
    ...(verdicts !== null && { verdicts }),
    ...(reckoned !== null && { reckoned }),
    ...(read !== null && { read }),
  });
  if (verdicts !== null) console.log(`  comparison exercises: ${percent(verdicts)} right`);
  if (reckoned !== null) console.log(`  reckoning exercises: ${percent(reckoned)} right`);
  if (read !== null) console.log(`  reading exercises: ${percent(read)} right`);
  const kinds = Object.entries(byKind).map(([kind, s]) => `${kind} ${percent(s.whole)}`);
  console.log(
    `  held out: loss ${all.loss.toFixed(4)}  tokens right ${percent(all.accuracy)}  ` +
      `whole ${percent(all.whole)} (${kinds.join(', ')})`,
  );
}

/** Turns Ctrl-C and SIGTERM into a flag, so that the step in progress ends and is saved. */
function watchSignals(): { raised: boolean; [Symbol.dispose](): void } {
  const flag = { raised: false, [Symbol.dispose]: () => stop() };
  const raise = (): void => {
    flag.raised = true;
    console.log('stopping after this step …');
  };
  const stop = (): void => {
    process.off('SIGINT', raise);
    process.off('SIGTERM', raise);
  };
  process.once('SIGINT', raise);
  process.once('SIGTERM', raise);
  return flag;
}

async function trainWith(run: Run, learner: Learner, source: BatchSource): Promise<void> {
  const { options, settings, tokenizer, start } = run;
  using signals = watchSignals();
  const held = heldOut(tokenizer, options['eval-count'], settings);
  const meter = new Meter(start.tokens);
  const end = performance.now() + (options.minutes * 60_000 || Infinity);
  await runPretraining(settings, source, learner, start, {
    afterStep: async (done) => {
      const stop = signals.raised || performance.now() > end;
      const last = stop || done.step === settings.steps;
      const due = (every: number): boolean => last || done.step % every === 0;
      meter.add(done);
      if (due(options['log-every'])) {
        const { text, record } = meter.line(settings.steps);
        console.log(text);
        log(run, record);
      }
      if (due(options['eval-every'])) await evaluate(run, learner, held, done.step);
      if (due(options['snapshot-every']))
        save(run, { step: done.step, tokens: done.tokens, cursor: done.cursor });
      return stop ? 'stop' : 'go on';
    },
  });
}

/** Runs `lab pretrain`. @throws UsageError for invalid options */
export async function pretrain(argv: readonly string[]): Promise<void> {
  const options = readOptions(argv);
  if (options.help) return console.log(commandHelp(COMMAND));
  prepareNode();
  const run = prepare(options);
  const { settings, weights, start } = run;
  makeFolders(run.out);
  console.log(
    `${weights.flat.length} parameters, ${settings.threads} threads, from step ${start.step} to ${settings.steps}`,
  );
  log(run, { type: 'start', settings, parameters: weights.flat.length, progress: start });
  const [learners, draws]: [LearnThread[], DrawThread[]] = [[], []];
  try {
    const learner = await startLearner(run, learners);
    await trainWith(run, learner, startSource(run, draws));
  } finally {
    await Promise.all([...learners, ...draws].map((thread) => thread.close()));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  pretrain(process.argv.slice(2)).catch((error: unknown) => {
    console.error(error instanceof UsageError ? error.message : error);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  });
