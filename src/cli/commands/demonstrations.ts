import { importRun } from '../../formats/rollouts/run.ts';
import { demonstrateGold } from '../../learn/demonstrations/from-gold.ts';
import { demonstrateRollout } from '../../learn/demonstrations/from-rollouts.ts';
import { Tally, tallyLines } from '../../learn/demonstrations/tally.ts';
import {
  unwritable,
  type DemonstrationOptions,
  type Outcome,
} from '../../learn/demonstrations/write-rollout.ts';
import type { DemonstrationModel } from '../../learn/demonstrations/written-policy.ts';
import { messageOf } from '../../base/errors.ts';
import type { Policy } from '../../policy/policy.ts';
import { EndpointBackend } from '../../policy/remote/endpoint/backend.ts';
import { TextPolicy } from '../../policy/remote/text-policy.ts';
import type { Endpoint } from '../../records/setup.ts';
import { teach, TEACHER_GROUP } from '../../learn/demonstrations/from-teacher.ts';
import { connectServer, isAddress } from '../parts/text-model.ts';
import { openReader } from '../../policy/open/reader.ts';
import { getRecipe } from '../../systems/index.ts';
import { withOverrides } from '../../recipes/parts/settings.ts';
import { openOutput, writeAll, type Output } from '../evaluate/output.ts';
import { folderRevision } from '../shared/checkpoint-folder.ts';
import { endProgress, print, say, sayProgress, type Command } from '../shared/command.ts';
import { UsageError, type OptionLists, type OptionValues } from '../shared/options.ts';
import { openFolder, openSources } from '../shared/parts.ts';
import { openRolloutRun } from '../shared/rollout-paths.ts';
import {
  KEY_VARIABLE,
  overridesOf,
  QUESTION_OPTIONS,
  RECIPE_OPTIONS,
  SOURCE_OPTIONS,
  sourcesOptions,
} from '../shared/shared-options.ts';
import { selectQuestions } from '../shared/select-questions.ts';

const FROM = ['gold', 'rollouts', 'teacher'] as const;
type From = (typeof FROM)[number];

/** Tokenizer and chat template of a model; its weights are not loaded. */
async function modelOf(path: string | undefined): Promise<DemonstrationModel> {
  const folder = await openFolder(path);
  const [revision, reader] = await Promise.all([folderRevision(folder), openReader(folder.files)]);
  const { maxContext } = folder.limits;
  return {
    ...reader,
    info: { id: folder.id, revision, parameters: 0, maxContext, device: 'wasm', dtype: '' },
  };
}

interface Call {
  values: OptionValues;
  lists: OptionLists;
  model: DemonstrationModel;
  options: DemonstrationOptions;
}

async function* fromGold({ values, lists, model, options }: Call): AsyncGenerator<Outcome> {
  const { world, retriever, router } = await openSources(sourcesOptions(values, lists));
  endProgress();
  const questions = selectQuestions(world.questions, values, 'train');
  const sources = { retriever, router, now: Date.now };
  for (const [i, question] of questions.entries()) {
    yield await demonstrateGold(sources, model, question, options);
    if (i % 20 === 19) sayProgress(`${i + 1}/${questions.length} questions`);
  }
}

async function* fromRollouts(
  { values, model, options }: Call,
  files: readonly string[],
): AsyncGenerator<Outcome> {
  if (files.length === 0)
    throw new UsageError('--from rollouts needs files of rollouts: name them after it.');
  const run = await openRolloutRun(files);
  const most = values.limit === undefined ? Infinity : Number(values.limit);
  let read = 0;
  for await (const item of importRun(run.files, run.name)) {
    if (read++ >= most) return;
    yield item.kind === 'fault'
      ? { leftOut: 'unreadable' }
      : await demonstrateRollout(model, item.rollout, options);
    if (read % 20 === 0) sayProgress(`${read} rollouts`);
  }
}

/** The served model that writes. @throws UsageError where the address names none */
async function teacherOf(values: OptionValues, [url, more]: readonly string[]): Promise<Policy> {
  if (url === undefined || !isAddress(url) || more !== undefined)
    throw new UsageError(
      '--from teacher needs the address of one OpenAI-compatible server: lab demonstrations --from teacher http://localhost:8080/v1 …',
    );
  const named = values['teacher-model'] as string | undefined;
  const { model, client } = await connectServer(url, named, '--teacher');
  const api = values['teacher-api'] as Endpoint['api'];
  const maxContext = Number(values['teacher-context']);
  return new TextPolicy(
    new EndpointBackend({ id: 'teacher', url, model, api, maxContext }, client),
  );
}

async function* fromTeacher(
  { values, lists, model, options }: Call,
  words: readonly string[],
): AsyncGenerator<Outcome> {
  const teacher = await teacherOf(values, words);
  const { world, retriever, router } = await openSources(sourcesOptions(values, lists));
  endProgress();
  const questions = selectQuestions(world.questions, values, 'train');
  const sources = { retriever, router, now: Date.now };
  const how = { ...options, group: Number(values.group) };
  let asked = 0;
  for await (const outcomes of teach(sources, { teacher, model }, questions, how)) {
    yield* outcomes;
    sayProgress(`${++asked}/${questions.length} questions`);
  }
}

const THINGS: Record<From, string> = {
  gold: 'questions',
  rollouts: 'rollouts',
  teacher: 'rollouts of the teacher',
};

const NONE: Record<From, string> = {
  gold: 'No demonstration could be made of these questions; the table says why. Try a larger --k, other questions or another --method.',
  rollouts:
    'None of these rollouts became a demonstration; the table says why. Try a larger --max-tokens or --k, or another --recipe.',
  teacher:
    'None of the teacher’s rollouts became a demonstration; the table says why. Try a stronger model, a larger --group or easier questions.',
};

function made(from: From, call: Call, files: readonly string[]): AsyncGenerator<Outcome> {
  switch (from) {
    case 'gold':
      return fromGold(call);
    case 'rollouts':
      return fromRollouts(call, files);
    case 'teacher':
      return fromTeacher(call, files);
  }
}

/** @throws UsageError where the recipe's loop leaves nothing to write */
function optionsOf(values: OptionValues, lists: OptionLists): DemonstrationOptions {
  const recipe = getRecipe(String(values.recipe));
  const overrides = overridesOf(values, lists);
  const settings = withOverrides(recipe.settings, overrides);
  const why = unwritable(settings, recipe.title, values.from === 'rollouts');
  if (why !== null) throw new UsageError(why);
  const [seed, maxTokens] = [Number(values.seed), Number(values['max-tokens'])];
  return { recipe, overrides, seed, maxTokens };
}

export const demonstrationsCommand: Command = {
  name: 'demonstrations',
  summary:
    'makes demonstrations for a supervised start: rollouts with right answers in a model’s tokens',
  positional: { name: 'FILE|URL', required: false, many: true },
  options: {
    from: {
      type: 'string',
      help: 'gold: written from the questions’ gold chains, supporting titles or answers, with the passages that the recipe’s retriever returns; rollouts: right rollouts of other systems (FILE …), rewritten into the recipe’s protocol; teacher: right rollouts that a served model (URL) writes',
      choices: FROM,
      required: true,
    },
    ...RECIPE_OPTIONS,
    recipe: { ...RECIPE_OPTIONS.recipe, default: 'search' },
    policy: {
      type: 'string',
      value: 'DIR',
      help: 'the model whose tokens are written (default: the built-in one)',
    },
    world: { type: 'string', value: 'DIR', help: 'world folder (default: the built-in one)' },
    ...SOURCE_OPTIONS,
    ...QUESTION_OPTIONS,
    limit: { type: 'integer', value: 'N', help: 'questions or rollouts (default: all)', min: 1 },
    group: {
      type: 'integer',
      value: 'G',
      help: 'rollouts of a teacher per question',
      default: TEACHER_GROUP,
      min: 1,
      max: 64,
    },
    'teacher-model': {
      type: 'string',
      value: 'NAME',
      help: `which of the teacher’s models, where its server has several (its key in ${KEY_VARIABLE})`,
    },
    'teacher-api': {
      type: 'string',
      help: 'chat: a turn per message; chat-continue: the server continues the assistant’s turn (vLLM, SGLang); completions: plain text',
      choices: ['chat', 'chat-continue', 'completions'],
      default: 'chat',
    },
    'teacher-context': {
      type: 'integer',
      value: 'N',
      help: 'tokens of the teacher’s context',
      default: 8192,
      min: 512,
    },
    'max-tokens': {
      type: 'integer',
      value: 'N',
      help: 'most tokens of a demonstration, prompt and passages included',
      default: 4096,
      min: 1,
    },
    seed: { type: 'integer', value: 'S', help: 'seed of the rollouts', default: 0, min: 0 },
    out: { type: 'string', value: 'FILE', help: 'rollouts as JSON lines', required: true },
    json: { type: 'boolean', help: 'print the table as one JSON object and nothing else' },
  },
  async run(values, files, lists) {
    const from = values.from as From;
    if (from === 'gold' && files.length > 0)
      throw new UsageError(`--from gold reads no rollouts; leave ${String(files[0])} out.`);
    const options = optionsOf(values, lists);
    const model = await modelOf(values.policy as string | undefined);
    let output: Output | null = null;
    const tally = new Tally();
    try {
      for await (const outcome of made(from, { values, lists, model, options }, files)) {
        tally.add(outcome);
        // Not before the sources are open: a mistake in them leaves an older file as it is.
        output ??= openOutput(String(values.out));
        if ('rollout' in outcome) writeAll(output, [outcome.rollout]);
      }
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new UsageError(messageOf(error), { cause: error });
    } finally {
      endProgress();
    }
    const { summary } = tally;
    print(values.json ? JSON.stringify(summary) : tallyLines(summary, THINGS[from]).join('\n'));
    if (summary.kept === 0) throw new UsageError(NONE[from]);
    say(`${summary.kept} demonstrations written to ${String(values.out)}`);
  },
};
