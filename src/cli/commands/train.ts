import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readTrajectories } from '../../formats/trajectories/read.ts';
import { isStored } from '../../recipes/parts/stage-loss.ts';
import { DEFAULT_WARM_UP, type TrainSettings } from '../../recipes/parts/training.ts';
import { asksForSummaries, checkTrainable } from '../../learn/rl/trainable.ts';
import { makeFolders } from '../shared/path-fault.ts';
import { UsageError, type OptionLists, type OptionValues } from '../shared/options.ts';
import {
  asUsage,
  readSettings,
  sayWarnings,
  SETTINGS_OPTIONS,
  SWITCH_OPTION,
} from '../shared/train-settings.ts';
import { readDemonstrations } from '../../learn/rl/demonstrations.ts';
import {
  createRun,
  hasStepsAlone,
  noSnapshot,
  readRun,
  resumeSnapshot,
  trimSteps,
  writeDemonstrations,
  writeStartAdapter,
  writeRun,
} from '../train/folder.ts';
import { sayBefore } from '../train/before.ts';
import { holdRun } from '../train/hold.ts';
import { checkRun, describeRun, train, type TrainOptions } from '../train/run.ts';
import { runSweep } from '../study/sweep.ts';
import { foundSources } from '../train/run-sources.ts';
import { checkJudge, JUDGE_OPTIONS } from '../evaluate/judge-options.ts';
import { GENERATED_WORLD_OPTIONS } from '../shared/generated-world.ts';
import { SOURCE_OPTIONS, SUMMARIZER_OPTIONS, THREAD_OPTIONS } from '../shared/shared-options.ts';
import { say, type Command } from '../shared/command.ts';
import { MATRIX_TYPES, STORE_TYPES } from '../../policy/ops/values.ts';

const readGiven = (path: unknown): string => {
  if (!existsSync(String(path))) throw new UsageError(`${String(path)} is missing.`);
  return readFileSync(String(path), 'utf8');
};

/** The text of the file of trajectories; a warm-up is set where no stage learns from it. @throws UsageError */
function demonstrationsOf(settings: TrainSettings, values: OptionValues): string | null {
  const path = values.demonstrations;
  if (settings.stages.some(({ loss }) => isStored(loss))) {
    // It makes its own.
    if (path === undefined) return null;
    const text = readGiven(path);
    asUsage(() => readTrajectories(text));
    return text;
  }
  if (path === undefined) {
    if (settings.warmUp && !settings.warmUp.own)
      throw new UsageError(
        'warmUp needs --demonstrations FILE.jsonl, or --set warmUp.own={} to collect its own rollouts.',
      );
    return null;
  }
  if (settings.warmUp?.own)
    throw new UsageError(
      'The warm-up samples its own trajectories (warmUp.own); leave --demonstrations out, or add --set warmUp.own=null.',
    );
  settings.warmUp ??= { ...DEFAULT_WARM_UP };
  const text = readGiven(path);
  asUsage(() => readDemonstrations(text, Infinity));
  return text;
}

const keysOf = (options: object): string[] => Object.keys(options);

/** Options that a resumed run takes from its own record. */
const FIXED = [
  'recipe',
  'seed',
  'world',
  'world-seed',
  'policy',
  'demonstrations',
  'adapter',
  'teacher',
  'device',
  'weights',
  'kv',
  'out',
  'sweep',
  'check',
  'engine',
  'engine-calls',
  'method',
  'encoder',
  'split-field',
  'split-seed',
  'summarizer',
  'summarizer-model',
  ...keysOf(JUDGE_OPTIONS),
];

async function resume(run: string, values: OptionValues, lists: OptionLists): Promise<void> {
  const given =
    FIXED.find((name) => values[name] !== undefined) ??
    ['set', 'switch'].find((name) => lists[name] !== undefined);
  if (given !== undefined)
    throw new UsageError(`--resume continues with the run's own --${given}; leave it out.`);
  const stored = readRun(run);
  using _held = holdRun(run);
  const state = resumeSnapshot(run, say);
  if (!state && hasStepsAlone(run)) throw new UsageError(noSnapshot(run));
  sayBefore(stored, say);
  const moved = { corpus: lists['corpus'], questions: values.questions as string | undefined };
  const sources = await foundSources(stored.sources, moved);
  const file = { ...stored, ...(sources && { sources }) };
  if (values.steps !== undefined) file.settings.steps = Number(values.steps);
  if ((state?.step ?? 0) < file.settings.steps)
    asUsage(() =>
      checkTrainable(file.settings, {
        summarizer: file.summarizer !== undefined,
        done: state?.step ?? 0,
      }),
    );
  if (values.steps !== undefined || moved.corpus || moved.questions !== undefined)
    writeRun(run, file);
  trimSteps(run, state?.step ?? 0, say);
  sayWarnings(file.settings);
  await train(run, state, optionsOf(values));
}

/** Summaries are extractive unless another summarizer is named, as on the page. */
function withSummarizer(settings: TrainSettings, values: OptionValues): OptionValues {
  const named = values['summarizer'] ?? values['summarizer-model'];
  if (named !== undefined || !asksForSummaries(settings)) return values;
  say(
    'The rollouts of this run read summaries, written by the built-in extractive summarizer (--summarizer names another).',
  );
  return { ...values, summarizer: 'extractive' };
}

const optionsOf = (values: OptionValues): TrainOptions => ({
  threads: Number(values.threads),
  microTokens: Number(values['micro-tokens']),
  json: values.json === true,
});

const { default: lexical, ...METHOD } = SOURCE_OPTIONS.method;

/** A resumed run has its own: nothing is distinguished from a default. */
const SOURCES = {
  ...SOURCE_OPTIONS,
  corpus: {
    ...SOURCE_OPTIONS.corpus,
    help: "passages to search instead of the world's; may be repeated; the only source unless --engine or the settings name another; with --resume: where the files are now",
  },
  questions: {
    ...SOURCE_OPTIONS.questions,
    help: "questions instead of the world's; with --resume: where the file is now",
  },
  method: { ...METHOD, help: `how --corpus is searched (default: ${lexical})` },
} as const;

export const trainCommand: Command = {
  name: 'train',
  summary: 'trains an adapter of the model by reinforcement learning',
  options: {
    ...SETTINGS_OPTIONS,
    ...SWITCH_OPTION,
    out: { type: 'string', value: 'DIR', help: 'folder of the new run' },
    resume: { type: 'string', value: 'DIR', help: 'continue the run in that folder' },
    world: { type: 'string', value: 'DIR', help: 'world folder (default: the built-in one)' },
    ...GENERATED_WORLD_OPTIONS,
    ...SOURCES,
    ...SUMMARIZER_OPTIONS,
    ...JUDGE_OPTIONS,
    policy: {
      type: 'string',
      value: 'DIR',
      help: 'checkpoint folder or GGUF file (default: the built-in one)',
    },
    adapter: {
      type: 'string',
      value: 'DIR',
      help: 'adapter to start from, with its rank and matrices: a PEFT folder, or a run (DIR@STEP: one of its steps)',
    },
    teacher: {
      type: 'string',
      value: 'DIR',
      help: 'model that the KL pulls towards, with the same vocabulary (default: the model without its adapter); see --switch kdrl',
    },
    demonstrations: {
      type: 'string',
      value: 'FILE',
      help: 'demonstrations (rollouts, .jsonl) for a cold start before the first step, see warmUp; with --steps 0 for nothing else; or stored trajectories for the stages that learn from them, see lab trajectories',
    },
    device: {
      type: 'string',
      help: 'where the model runs and is trained (default: wasm)',
      choices: ['wasm', 'webgpu'],
    },
    weights: {
      type: 'string',
      help: "precision of the model's weights (default: chosen by its files and the device)",
      choices: MATRIX_TYPES,
    },
    kv: {
      type: 'string',
      help: 'precision of the KV cache in sampler and trainer (default: f16 on webgpu where it is large, else f32)',
      choices: STORE_TYPES,
    },
    ...THREAD_OPTIONS,
    sweep: {
      type: 'string',
      value: 'GRID',
      help: 'train and score every combination of values of one or two settings, e.g. "lr=1e-4,3e-4;groupSize=4,8" or "weights.format=0.1,0.3;seed=1,2"; the same command continues after an interruption',
    },
    check: {
      type: 'boolean',
      help: 'measure this machine with a few rollouts and print time and memory of the run, without training; with --sweep: print what would be run',
    },
    json: { type: 'boolean', help: 'print one JSON line per step and nothing else' },
  },
  async run(values, _positionals, lists) {
    if (values.resume !== undefined) return resume(resolve(String(values.resume)), values, lists);
    const swept = values.sweep !== undefined;
    const settings = readSettings(
      'train',
      values,
      lists['set'] ?? [],
      (read) =>
        checkTrainable(
          { ...read, warmUp: read.warmUp ?? (values.demonstrations ? DEFAULT_WARM_UP : null) },
          { summarizer: true },
        ),
      lists['switch'],
    );
    if (swept && values.adapter !== undefined)
      throw new UsageError('--sweep trains each run from scratch; leave --adapter out.');
    if (swept && values.out === undefined && values.check !== true)
      throw new UsageError('--sweep needs --out DIR, or --check.');
    if (swept) return runSweep(settings, values, lists);
    checkJudge(values);
    const demonstrations = demonstrationsOf(settings, values);
    if (values.check === true) {
      const checked = await describeRun(settings, withSummarizer(settings, values), lists);
      sayWarnings(checked.file.settings, lists['set']);
      return checkRun(checked, optionsOf(values), demonstrations);
    }
    if (values.out === undefined) throw new UsageError('train needs --out DIR.');
    const out = resolve(String(values.out));
    const described = await describeRun(settings, withSummarizer(settings, values), lists);
    const { file, opened, startFiles } = described;
    makeFolders(out);
    using _held = holdRun(out);
    createRun(out, file);
    if (demonstrations !== null) writeDemonstrations(out, demonstrations);
    if (startFiles.length > 0) writeStartAdapter(out, startFiles);
    sayWarnings(file.settings, lists['set']);
    await train(out, null, optionsOf(values), opened);
  },
};
