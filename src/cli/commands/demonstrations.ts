import { unwritable, demonstrateGold } from '../../learn/demonstrations/from-gold.ts';
import { Tally, tallyLines } from '../../learn/demonstrations/tally.ts';
import type { DemonstrationModel } from '../../learn/demonstrations/written-policy.ts';
import { openReader } from '../../policy/open/reader.ts';
import { getRecipe } from '../../recipes/index.ts';
import { withOverrides } from '../../recipes/parts/settings.ts';
import { openOutput, writeAll } from '../evaluate/output.ts';
import { folderRevision } from '../shared/checkpoint-folder.ts';
import { endProgress, print, say, sayProgress, type Command } from '../shared/command.ts';
import { UsageError, type OptionLists, type OptionValues } from '../shared/options.ts';
import { openFolder, openSources } from '../shared/parts.ts';
import {
  overridesOf,
  QUESTION_OPTIONS,
  RECIPE_OPTIONS,
  SOURCE_OPTIONS,
  sourcesOptions,
} from '../shared/shared-options.ts';
import { selectQuestions } from '../shared/select-questions.ts';

const FROM = ['gold'] as const;

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

async function fromGold(values: OptionValues, lists: OptionLists): Promise<void> {
  const recipe = getRecipe(String(values.recipe));
  const overrides = overridesOf(values, lists);
  const why = unwritable(withOverrides(recipe.settings, overrides), recipe.title);
  if (why !== null) throw new UsageError(why);
  const model = await modelOf(values.policy as string | undefined);
  const { world, retriever, router } = await openSources(sourcesOptions(values, lists));
  endProgress();
  const questions = selectQuestions(world.questions, values, 'train');
  const output = openOutput(String(values.out));
  const tally = new Tally();
  for (const [i, question] of questions.entries()) {
    const outcome = await demonstrateGold({ retriever, router, now: Date.now }, model, question, {
      recipe,
      overrides,
      seed: Number(values.seed),
      maxTokens: Number(values['max-tokens']),
    });
    tally.add(outcome);
    if ('rollout' in outcome) writeAll(output, [outcome.rollout]);
    if (i % 20 === 19) sayProgress(`${i + 1}/${questions.length} questions`);
  }
  endProgress();
  const { summary } = tally;
  print(values.json ? JSON.stringify(summary) : tallyLines(summary, 'questions').join('\n'));
  if (summary.kept === 0)
    throw new UsageError(
      'No demonstration could be made of these questions; the table says why. Try a larger --k, other questions or another --method.',
    );
  say(`${summary.kept} demonstrations written to ${String(values.out)}`);
}

export const demonstrationsCommand: Command = {
  name: 'demonstrations',
  summary:
    'makes demonstrations for a supervised start: rollouts with right answers in a model’s tokens',
  options: {
    from: {
      type: 'string',
      help: 'gold: written from the questions’ gold chains or supporting titles, with the passages that the recipe’s retriever returns',
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
    limit: { type: 'integer', value: 'N', help: 'questions (default: all)', min: 1 },
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
  run: (values, _positionals, lists) => fromGold(values, lists),
};
