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
import { openReader } from '../../policy/open/reader.ts';
import { getRecipe } from '../../recipes/index.ts';
import { withOverrides } from '../../recipes/parts/settings.ts';
import { openOutput, writeAll, type Output } from '../evaluate/output.ts';
import { folderRevision } from '../shared/checkpoint-folder.ts';
import { endProgress, print, say, sayProgress, type Command } from '../shared/command.ts';
import { UsageError, type OptionLists, type OptionValues } from '../shared/options.ts';
import { openFolder, openSources } from '../shared/parts.ts';
import { openRolloutRun } from '../shared/rollout-paths.ts';
import {
  overridesOf,
  QUESTION_OPTIONS,
  RECIPE_OPTIONS,
  SOURCE_OPTIONS,
  sourcesOptions,
} from '../shared/shared-options.ts';
import { selectQuestions } from '../shared/select-questions.ts';

const FROM = ['gold', 'rollouts'] as const;
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

const THINGS: Record<From, string> = { gold: 'questions', rollouts: 'rollouts' };

const NONE: Record<From, string> = {
  gold: 'No demonstration could be made of these questions; the table says why. Try a larger --k, other questions or another --method.',
  rollouts:
    'None of these rollouts became a demonstration; the table says why. Try a larger --max-tokens or --k, or another --recipe.',
};

function made(from: From, call: Call, files: readonly string[]): AsyncGenerator<Outcome> {
  return from === 'gold' ? fromGold(call) : fromRollouts(call, files);
}

/** @throws UsageError where the recipe's loop leaves nothing to write */
function optionsOf(values: OptionValues, lists: OptionLists): DemonstrationOptions {
  const recipe = getRecipe(String(values.recipe));
  const overrides = overridesOf(values, lists);
  const why = unwritable(withOverrides(recipe.settings, overrides), recipe.title);
  if (why !== null) throw new UsageError(why);
  const [seed, maxTokens] = [Number(values.seed), Number(values['max-tokens'])];
  return { recipe, overrides, seed, maxTokens };
}

export const demonstrationsCommand: Command = {
  name: 'demonstrations',
  summary:
    'makes demonstrations for a supervised start: rollouts with right answers in a model’s tokens',
  positional: { name: 'FILE', required: false, many: true },
  options: {
    from: {
      type: 'string',
      help: 'gold: written from the questions’ gold chains or supporting titles, with the passages that the recipe’s retriever returns; rollouts: right rollouts of other systems (FILE …), rewritten into the recipe’s protocol',
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
    'max-tokens': {
      type: 'integer',
      value: 'N',
      help: 'most tokens of a demonstration, prompt and passages included',
      default: 4096,
      min: 1,
    },
    seed: { type: 'integer', value: 'S', help: 'seed of the wording', default: 0, min: 0 },
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
