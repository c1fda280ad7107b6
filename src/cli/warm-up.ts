import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import v8 from 'node:v8';
import { ExampleSource } from '../learn/warm-up/batches.ts';
import { Learner, partCount } from '../learn/warm-up/learner.ts';
import { DEFAULT_SETTINGS, shapeOf, type WarmUpSettings } from '../learn/warm-up/plan.ts';
import type { Example } from '../learn/warm-up/replica.ts';
import { evaluateHeldOut, runWarmUp, type Progress, type StepLog } from '../learn/warm-up/run.ts';
import { HuggingFaceTokenizer } from '../policy/tokenizer.ts';
import { initWeights, parameterCount, viewWeights } from '../policy/weights.ts';
import {
  commandHelp,
  parseOptions,
  UsageError,
  type CommandSpec,
  type OptionSpec,
  type OptionValues,
} from './options.ts';
import { exportPolicy, loadState, readProgress, saveCheckpoint } from './warm-up-checkpoint.ts';
import { sharedState, ThreadReplica } from './warm-up-threads.ts';

/** `lab warm-up`: trains the built-in policy from nothing on fresh worlds. */

const HELP: Record<keyof WarmUpSettings, string> = {
  seed: 'seed of weights and data',
  steps: 'updates in all',
  tokensPerStep: 'tokens of one update',
  threads: 'training threads',
  hidden: 'hidden size',
  layers: 'layers',
  heads: 'attention heads',
  kvHeads: 'key and value heads',
  intermediate: 'width of the MLP',
  optimizer: 'rule for the matrices of the layers',
  lr: 'learning rate of AdamW',
  muonLr: 'learning rate of Muon',
  weightDecay: 'decoupled weight decay of matrices',
  clip: 'greatest gradient norm (0: no limit)',
  schedule: 'learning-rate schedule',
  warmUpSteps: 'steps in which the learning rate rises',
  decayShare: 'share of the steps in which it falls (wsd)',
  copySteps: 'first steps, on copying exercises alone',
  copyShare: 'share of copying exercises after them',
  envWeight: 'first loss weight of environment tokens',
  envSteps: 'steps over which that weight falls to 0',
  maxLength: 'longest sequence, tokens',
  microTokens: 'tokens of one forward and backward pass',
};

const CHOICES: Partial<Record<keyof WarmUpSettings, readonly string[]>> = {
  optimizer: ['muon', 'adamw'],
  schedule: ['wsd', 'cosine'],
};

const SETTINGS = Object.keys(HELP) as (keyof WarmUpSettings)[];
const optionName = (key: string): string => key.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);

function settingSpec(key: keyof WarmUpSettings): OptionSpec {
  const fallback = DEFAULT_SETTINGS[key];
  const choices = CHOICES[key];
  const help = `${HELP[key]} [${fallback}]`;
  // No default here: an option that is not given must not override a resumed run's setting.
  return choices ? { type: 'string', choices, help } : { type: 'number', min: 0, value: 'N', help };
}

const COMMAND: CommandSpec = {
  name: 'warm-up',
  summary: 'train the built-in policy from nothing on fresh worlds',
  options: {
    out: {
      type: 'string',
      value: 'DIR',
      help: 'checkpoints and log.jsonl',
      default: 'warm-up-run',
    },
    resume: { type: 'string', value: 'DIR', help: 'go on from the last checkpoint of a run' },
    export: {
      type: 'string',
      value: 'DIR',
      help: 'write a Hugging Face folder at every checkpoint',
    },
    tokenizer: { type: 'string', value: 'DIR', help: 'tokenizer files', default: 'public/policy' },
    'eval-every': { type: 'integer', min: 1, help: 'steps between evaluations', default: 250 },
    'eval-count': { type: 'integer', min: 1, help: 'held-out trajectories', default: 256 },
    'checkpoint-every': {
      type: 'integer',
      min: 1,
      help: 'steps between checkpoints',
      default: 250,
    },
    'log-every': { type: 'integer', min: 1, help: 'steps between progress lines', default: 10 },
    minutes: {
      type: 'number',
      min: 0,
      help: 'stop, saved, after so long (0: no limit)',
      default: 0,
    },
    help: { type: 'boolean', help: 'show this' },
    ...Object.fromEntries(SETTINGS.map((key) => [optionName(key), settingSpec(key)])),
  },
};

const given = (values: OptionValues): Partial<WarmUpSettings> =>
  Object.fromEntries(
    SETTINGS.map((key) => [key, values[optionName(key)]]).filter(([, v]) => v !== undefined),
  );

function readTokenizer(folder: string): HuggingFaceTokenizer {
  const read = (file: string): object => {
    const path = join(folder, file);
    if (!existsSync(path)) throw new UsageError(`${path} is missing.`);
    return JSON.parse(readFileSync(path, 'utf8')) as object;
  };
  return new HuggingFaceTokenizer(read('tokenizer.json'), read('tokenizer_config.json'));
}

/** Seeds of held-out data lie far from those of training. */
const HELD_OUT_SEED = 900_000_001;

function heldOut(tokenizer: HuggingFaceTokenizer, count: number, maxLength: number): Example[] {
  const source = new ExampleSource(HELD_OUT_SEED, tokenizer, maxLength);
  const cursor = { trajectories: 0, spans: 0 };
  return Array.from({ length: count }, () => source.trajectory(cursor, 0));
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

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
    const last = this.#logs.at(-1)!;
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
      time: new Date().toISOString(),
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

interface Paths {
  out: string;
  exportTo: string | undefined;
  tokenizer: string;
}

function readPaths(values: OptionValues): Paths {
  const resume = values['resume'] as string | undefined;
  return {
    out: resume ?? (values['out'] as string),
    exportTo: values['export'] as string | undefined,
    tokenizer: values['tokenizer'] as string,
  };
}

/** Runs `lab warm-up`. @throws UsageError for what the caller got wrong */
export async function warmUp(argv: readonly string[]): Promise<void> {
  const { values } = parseOptions(COMMAND, argv);
  if (values['help']) return console.log(commandHelp(COMMAND));
  // Node 20 has fused multiply-add behind this flag; later versions have it on.
  v8.setFlagsFromString('--experimental-wasm-relaxed-simd');
  const paths = readPaths(values);
  const resumed = values['resume'] === undefined ? undefined : readProgress(paths.out);
  const settings = { ...DEFAULT_SETTINGS, ...resumed?.settings, ...given(values) };
  const tokenizer = readTokenizer(paths.tokenizer);
  // The vocabulary fills whole SIMD vectors; ids beyond the tokenizer's are never used.
  const config = shapeOf(settings, Math.ceil(tokenizer.vocabSize / 8) * 8);
  // A batch overshoots by less than one sequence.
  const parts = partCount(settings.tokensPerStep + settings.maxLength, settings.microTokens);
  const state = sharedState(parameterCount(config), parts);
  if (resumed) loadState(paths.out, state);
  else initWeights(config, settings.seed, state.weights);
  const weights = viewWeights(config, state.weights);
  // A part may exceed its share by less than one sequence.
  const limits = {
    maxTokens: settings.microTokens + settings.maxLength,
    maxLength: settings.maxLength,
  };
  const replicas = Array.from(
    { length: settings.threads },
    (_, index) =>
      new ThreadReplica({ index, replicas: settings.threads, config, limits, shared: state }),
  );
  const learner = new Learner(replicas, state);
  const examples = heldOut(tokenizer, values['eval-count'] as number, settings.maxLength);

  mkdirSync(paths.out, { recursive: true });
  const log = (record: object): void =>
    appendFileSync(join(paths.out, 'log.jsonl'), `${JSON.stringify(record)}\n`);
  const save = (progress: Progress): void => {
    saveCheckpoint(paths.out, state, progress, settings);
    if (paths.exportTo)
      exportPolicy(paths.exportTo, weights, {
        folder: paths.tokenizer,
        endOfText: tokenizer.endOfText,
        pad: tokenizer.specialId('<|pad|>') ?? tokenizer.endOfText,
      });
  };
  const evaluate = async (step: number): Promise<void> => {
    const { all, byKind } = await evaluateHeldOut(learner, examples);
    log({ type: 'eval', step, all, byKind, time: new Date().toISOString() });
    const kinds = Object.entries(byKind).map(([kind, s]) => `${kind} ${percent(s.whole)}`);
    console.log(
      `  held out: loss ${all.loss.toFixed(4)}  tokens right ${percent(all.accuracy)}  ` +
        `whole ${percent(all.whole)} (${kinds.join(', ')})`,
    );
  };

  let interrupted = false;
  const interrupt = (): void => {
    interrupted = true;
    console.log('stopping after this step …');
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  const start = resumed?.progress ?? { step: 0, tokens: 0, cursor: { trajectories: 0, spans: 0 } };
  const deadline = (values['minutes'] as number) * 60_000 || Infinity;
  const begun = performance.now();
  const meter = new Meter(start.tokens);
  console.log(
    `${weights.flat.length} parameters, ${settings.threads} threads, from step ${start.step} to ${settings.steps}`,
  );
  log({ type: 'start', settings, parameters: weights.flat.length, progress: start });
  try {
    const every = (name: string, step: number): boolean => step % (values[name] as number) === 0;
    const source = new ExampleSource(settings.seed, tokenizer, settings.maxLength);
    await runWarmUp(settings, source, learner, start, {
      afterStep: async (done) => {
        const stop = interrupted || performance.now() - begun > deadline;
        const last = stop || done.step === settings.steps;
        meter.add(done);
        if (last || every('log-every', done.step)) {
          const { text, record } = meter.line(settings.steps);
          console.log(text);
          log(record);
        }
        if (last || every('eval-every', done.step)) await evaluate(done.step);
        if (last || every('checkpoint-every', done.step)) save(done);
        return stop ? 'stop' : 'go on';
      },
    });
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
    await Promise.all(replicas.map((r) => r.close()));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  warmUp(process.argv.slice(2)).catch((error: unknown) => {
    console.error(error instanceof UsageError ? error.message : error);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  });
