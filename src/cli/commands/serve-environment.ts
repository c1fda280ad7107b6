import { mergeOverrides } from '../../recipes/parts/settings.ts';
import { checkTrainable } from '../../learn/rl/trainable.ts';
import { parseTrainSettings } from '../../learn/settings/edit-settings.ts';
import type { EnvironmentParts } from '../../handover/environment/environment.ts';
import type { Experiment } from '../../handover/environment/experiment.ts';
import { endProgress, print, say, type Command } from '../shared/command.ts';
import { UsageError, type OptionLists, type OptionValues } from '../shared/options.ts';
import { readToken } from '../shared/http-server.ts';
import { openSources, type OpenSources } from '../shared/parts.ts';
import { asUsage, readSettings, SETTINGS_OPTIONS } from '../shared/train-settings.ts';
import { describeExperiment, readExperiment } from '../environment/experiment.ts';
import { environmentParts, openExperimentSources } from '../environment/open.ts';
import { serveEnvironment, untilSignalled } from '../environment/serve.ts';
import { engineOptions } from '../shared/engine.ts';
import { sourceDefaults, sourcesOptions, PARTS_OPTIONS } from '../shared/shared-options.ts';

const NAME = 'serve-environment';

interface OpenExperiment {
  experiment: Experiment;
  sources: OpenSources;
}

/** Options that an experiment's file has already. */
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
  summary: 'runs agent loop, retrieval and rewards over HTTP for a trainer that samples',
  options: {
    experiment: {
      type: 'string',
      value: 'FILE',
      help: 'experiment.json of an exported folder, in place of the options up to --max-context',
    },
    ...SETTINGS_OPTIONS,
    policy: { ...policy, help: 'checkpoint folder, whose tokenizer alone is read' },
    world,
    corpus,
    questions,
    method,
    encoder,
    'max-context': {
      type: 'integer',
      value: 'N',
      help: "most tokens of a context: what the trainer's engine holds",
      min: 64,
    },
    engine,
    'engine-calls': calls,
    host: { type: 'string', value: 'NAME', help: 'where to listen', default: '127.0.0.1' },
    port: {
      type: 'integer',
      value: 'N',
      help: '0: any that is free',
      default: 8765,
      min: 0,
      max: 65535,
    },
    token: {
      type: 'string',
      value: 'TEXT',
      help: 'what every call must send; needed for any --host except this machine; default FORAGE_TOKEN',
    },
    shard: {
      type: 'string',
      value: 'I/N',
      help: 'this process runs the groups whose draw is I modulo N; all N get the same options',
      default: '0/1',
    },
    rollouts: { type: 'string', value: 'FILE', help: 'add every rollout, one JSON a line' },
    expire: {
      type: 'number',
      value: 'S',
      help: 'seconds after which a rollout that nobody steps is given up',
      default: 1800,
      min: 1,
    },
    most: { type: 'integer', value: 'N', help: 'rollouts open at a time', default: 4096, min: 1 },
    'body-mib': {
      type: 'integer',
      value: 'N',
      help: 'largest body of a call',
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
