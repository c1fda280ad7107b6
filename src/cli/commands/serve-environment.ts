import { mergeOverrides } from '../../recipes/parts/settings.ts';
import { checkTrainable } from '../../learn/rl/trainable.ts';
import { parseTrainSettings } from '../../learn/settings/edit-settings.ts';
import type { EnvironmentParts } from '../../handover/environment/environment.ts';
import { type Experiment, environmentHash } from '../../handover/environment/experiment.ts';
import { endProgress, print, say, type Command } from '../shared/command.ts';
import { UsageError, type OptionLists, type OptionValues } from '../shared/options.ts';
import { readToken } from '../shared/http-server.ts';
import { openSources, type OpenSources, type PartsOptions } from '../shared/parts.ts';
import { asUsage, readSettings, SETTINGS_OPTIONS } from '../shared/train-settings.ts';
import {
  describeExperiment,
  readExperiment,
  readExperimentQuestions,
} from '../parts/environment-experiment.ts';
import { serveEnvironment, untilSignalled } from '../parts/environment-serve.ts';
import { engineOptions, type EngineOptions } from '../shared/engine.ts';
import { sourceDefaults, sourcesOptions, PARTS_OPTIONS } from '../shared/shared-options.ts';
import { readFileSync } from 'node:fs';
import { cachingRetriever } from '../../handover/environment/caching-retriever.ts';
import { openSummarizer } from '../../retrieval/summarize/index.ts';
import { openReader } from '../../policy/open/reader.ts';
import { folderFiles } from '../shared/checkpoint-folder.ts';
import { recordedWorld } from '../shared/generated-world.ts';
import { projectPath } from '../shared/paths.ts';

/** Opens the parts of an environment that an experiment describes. */

const version = (): string => {
  const { version: named }: { version?: unknown } = JSON.parse(
    readFileSync(projectPath('package.json'), 'utf8'),
  ) as object;
  return String(named);
};

/** Opens the sources that an experiment names. @throws UsageError */
async function openExperimentSources(
  { world, corpus, engine, questions }: Experiment,
  given: EngineOptions | undefined,
  tell: Pick<PartsOptions, 'onProgress' | 'onNotice'>,
): Promise<OpenSources> {
  if (given && given.spec.kind !== engine?.kind)
    throw new UsageError(
      `--engine is of kind ${given.spec.kind}, but the experiment searches ${engine ? `by ${engine.kind}` : "its world's web"}.`,
    );
  const own = engine ? { spec: engine } : undefined;
  const opened = await openSources({
    world: recordedWorld(world),
    ...(corpus && {
      corpus: {
        files: corpus.files,
        method: corpus.method,
        ...(corpus.encoder !== null && { encoder: corpus.encoder }),
      },
    }),
    engine: given ?? own,
    ...tell,
  });
  if (opened.world.manifest.seed !== world.seed)
    throw new UsageError(
      `the world here has seed ${opened.world.manifest.seed}, the experiment's has ${world.seed}; set world.folder to the folder of the right world.`,
    );
  if (questions) opened.world.questions = await readExperimentQuestions(questions.file);
  return opened;
}

/** @throws CheckpointError where the tokenizer cannot be read */
async function environmentParts(
  experiment: Experiment,
  { world, retriever, router }: OpenSources,
  shard: EnvironmentParts['shard'],
): Promise<EnvironmentParts> {
  const { settings, runId, policy, curriculum, run } = experiment;
  const { tokenizer, chat } = await openReader(folderFiles(policy.tokenizer));
  return {
    settings,
    runId,
    questions: world.questions,
    retriever: experiment.engine ? retriever : cachingRetriever(retriever),
    curriculum,
    startStep: run?.step ?? 0,
    shard,
    reader: {
      info: {
        id: policy.id,
        revision: policy.revision,
        parameters: 0,
        maxContext: policy.maxContext,
        device: 'server',
        dtype: '',
        logprobs: "the trainer's sampler's",
      },
      tokenizer,
      chat,
    },
    vocabulary: Math.max(policy.vocabulary, tokenizer.vocabSize),
    router,
    // Whatever settings ask for summaries: a model would have to be named to every server again.
    summarizer: openSummarizer({ kind: 'extractive' }),
    now: Date.now,
    version: version(),
    hash: await environmentHash(experiment),
  };
}

const NAME = 'serve-environment';

interface OpenExperiment {
  experiment: Experiment;
  sources: OpenSources;
}

/** Options that are part of an experiment's file. */
const FIXED = [
  'recipe',
  'steps',
  'seed',
  'policy',
  'world',
  'questions',
  'encoder',
  'max-context',
] as const;

async function openFile(
  file: string,
  values: OptionValues,
  lists: OptionLists,
): Promise<OpenExperiment> {
  const given =
    FIXED.find((name) => values[name] !== undefined) ??
    ['set', 'corpus'].find((name) => lists[name] !== undefined);
  if (given !== undefined)
    throw new UsageError(`--experiment has its own --${given}; leave it out.`);
  const experiment = await readExperiment(file);
  const { onProgress, onNotice } = sourcesOptions(values, lists);
  const tell = { onProgress, onNotice };
  return {
    experiment,
    sources: await openExperimentSources(experiment, engineOptions(values), tell),
  };
}

async function openNamed(values: OptionValues, lists: OptionLists): Promise<OpenExperiment> {
  const named = sourcesOptions(values, lists);
  // The environment summarizes by extraction.
  const chosen = readSettings(NAME, values, lists['set'] ?? [], (settings) =>
    checkTrainable(settings, { summarizer: true }),
  );
  const settings = asUsage(() =>
    parseTrainSettings({
      ...chosen,
      // What the settings say of the sources is above what follows from the corpus and the engine.
      overrides: mergeOverrides(sourceDefaults(named), chosen.overrides),
    }),
  );
  const sources = await openSources(named);
  const [policy, maxContext] = [values['policy'], values['max-context']];
  const experiment = await describeExperiment(
    settings,
    {
      ...named,
      ...(policy !== undefined && { policy: String(policy) }),
      ...(maxContext !== undefined && { maxContext: Number(maxContext) }),
    },
    sources,
  );
  return { experiment, sources };
}

/** Reads `0/4`. @throws UsageError */
function readShard(given: string): EnvironmentParts['shard'] {
  const [, index, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(given) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  if (index === undefined || shard.index >= shard.of)
    throw new UsageError(
      `--shard is '${given}'; it must be I/N with I from 0 to N − 1, such as 0/4.`,
    );
  return shard;
}

const {
  corpus,
  questions,
  method,
  encoder,
  world,
  policy,
  engine,
  'engine-calls': calls,
} = PARTS_OPTIONS;

export const serveEnvironmentCommand: Command = {
  name: NAME,
  summary: 'serves agent loop, retrieval and rewards over HTTP to an external trainer',
  options: {
    experiment: {
      type: 'string',
      value: 'FILE',
      help: 'experiment.json of an exported folder, instead of the options up to --max-context',
    },
    ...SETTINGS_OPTIONS,
    policy: { ...policy, help: 'checkpoint folder; only its tokenizer is read' },
    world,
    corpus,
    questions,
    method,
    encoder,
    'max-context': {
      type: 'integer',
      value: 'N',
      help: "maximum tokens per context: the limit of the trainer's engine",
      min: 64,
    },
    engine,
    'engine-calls': calls,
    host: { type: 'string', value: 'NAME', help: 'where to listen', default: '127.0.0.1' },
    port: {
      type: 'integer',
      value: 'N',
      help: 'port; 0: any free one',
      default: 8765,
      min: 0,
      max: 65535,
    },
    token: {
      type: 'string',
      value: 'TEXT',
      help: 'token that every call must send; required for every --host except this machine (default: FORAGE_TOKEN)',
    },
    shard: {
      type: 'string',
      value: 'I/N',
      help: 'this process runs the groups whose draw is I modulo N; start all N with the same options',
      default: '0/1',
    },
    rollouts: { type: 'string', value: 'FILE', help: 'append every rollout as a JSON line' },
    expire: {
      type: 'number',
      value: 'S',
      help: 'seconds without a step after which a rollout is dropped',
      default: 1800,
      min: 1,
    },
    most: {
      type: 'integer',
      value: 'N',
      help: 'maximum number of open rollouts',
      default: 4096,
      min: 1,
    },
    'body-mib': {
      type: 'integer',
      value: 'N',
      help: 'largest request body, MiB',
      default: 64,
      min: 1,
      max: 512,
    },
  },
  async run(values, _positionals, lists) {
    const host = String(values['host']);
    const token = readToken(host, values['token'] as string | undefined);
    const shard = readShard(String(values['shard']));
    const file = values['experiment'];
    const { experiment, sources } =
      file === undefined
        ? await openNamed(values, lists)
        : await openFile(String(file), values, lists);
    endProgress();
    const parts = await environmentParts(experiment, sources, shard);
    let raise: (why: string) => void = () => undefined;
    const broken = new Promise<{ fault: string }>((resolve) => {
      raise = (fault) => resolve({ fault });
    });
    const served = await serveEnvironment(
      parts,
      {
        host,
        port: Number(values['port']),
        token,
        bodyBytes: Number(values['body-mib']) * 2 ** 20,
        most: Number(values['most']),
        expireSeconds: Number(values['expire']),
        rollouts: values['rollouts'] as string | undefined,
      },
      (why) => raise(why),
    );
    const { hash, settings } = parts;
    print(JSON.stringify({ url: served.url, hash, recipe: settings.recipe, shard }));
    say(`${settings.preset} at ${served.url}; Ctrl-C ends it`);
    const end = await Promise.race([untilSignalled(), broken]);
    await served.stop('the environment is being stopped');
    if (typeof end !== 'string') throw new Error(`${end.fault}.`);
  },
};
