import type { RouterWeights } from '../../agent/router/network.ts';
import { summarizeRollouts } from '../../evaluate/index.ts';
import { decodeRouterState } from '../../learn/router/state.ts';
import { getRecipe, type SettingsOverride } from '../../recipes/index.ts';
import { UsageError, type OptionValues } from '../options.ts';
import { openParts } from '../parts.ts';
import { runQuestions } from '../run-questions.ts';
import { adapterFolderOf, loadCheckpoint, readRun } from '../train/folder.ts';
import { endProgress, print, say, type Command } from './command.ts';
import { openOutput, select, table, writeAll } from './rollout.ts';
import {
  overridesOf,
  partsOptions,
  PARTS_OPTIONS,
  QUESTION_OPTIONS,
  RECIPE_OPTIONS,
} from './shared-options.ts';

interface Subject {
  /** Folder of the adapter; undefined: the policy as it is. */
  adapter: string | undefined;
  policy: string | undefined;
  world: string | undefined;
  recipe: string;
  overrides: SettingsOverride;
  /** The run's router, where it trained one. */
  routerWeights?: RouterWeights;
}

/** What is evaluated: an adapter, the last checkpoint of a run with the run's parts, or the policy. */
function subjectOf(values: OptionValues): Subject {
  const text = (name: string): string | undefined => values[name] as string | undefined;
  const [adapter, policy, world] = [text('adapter'), text('policy'), text('world')];
  const run = text('run');
  if (run === undefined)
    return { adapter, policy, world, recipe: text('recipe') ?? 'search', overrides: {} };
  if (adapter !== undefined) throw new UsageError('--adapter and --run exclude each other.');
  const file = readRun(run);
  const trained = loadCheckpoint(run, say)?.router ?? null;
  return {
    ...(trained !== null && { routerWeights: decodeRouterState(trained).weights }),
    adapter: adapterFolderOf(run),
    policy: policy ?? file.policy.folder,
    world: world ?? file.world.folder ?? undefined,
    recipe: text('recipe') ?? file.settings.recipe,
    overrides: text('recipe') === undefined ? file.settings.overrides : {},
  };
}

const { default: _, ...RECIPE } = RECIPE_OPTIONS.recipe;

export const evaluateCommand: Command = {
  name: 'evaluate',
  summary: 'scores a trained adapter over questions of a world',
  options: {
    adapter: { type: 'string', value: 'DIR', help: 'PEFT folder of the adapter' },
    run: {
      type: 'string',
      value: 'DIR',
      help: "a training run: its last checkpoint's adapter and router",
    },
    ...RECIPE_OPTIONS,
    recipe: { ...RECIPE, help: "which system; the run's, else search" },
    temperature: { ...RECIPE_OPTIONS.temperature, default: 0.3 },
    routing: {
      ...RECIPE_OPTIONS.routing,
      help: 'how the router chooses: the likelier source, or drawn from its probabilities',
      default: 'argmax',
    },
    limit: { type: 'integer', value: 'N', help: 'questions', default: 300, min: 1 },
    seed: { type: 'integer', value: 'S', help: 'seed of the sampling', default: 0, min: 0 },
    ...QUESTION_OPTIONS,
    ...PARTS_OPTIONS,
    out: { type: 'string', value: 'FILE', help: 'write the rollouts, one JSON a line' },
    json: { type: 'boolean', help: 'print one JSON object and nothing else' },
  },
  async run(values, _positionals, lists) {
    const { recipe, overrides, ...subject } = subjectOf(values);
    const parts = await openParts({ ...partsOptions(values, lists), ...subject });
    endProgress();
    try {
      const given = overridesOf(values, lists);
      const questions = select(parts, values);
      const output = await openOutput(values.out as string | undefined);
      const { rollouts, seconds } = await runQuestions(parts, questions, {
        recipe: getRecipe(recipe),
        overrides: {
          ...overrides,
          ...given,
          sampling: { ...overrides.sampling, ...given.sampling },
          retrieval: { ...overrides.retrieval, ...given.retrieval },
          nlr: { ...overrides.nlr, ...given.nlr },
        },
        group: 1,
        seed: Number(values.seed),
      });
      await writeAll(output, rollouts);
      const summary = summarizeRollouts(rollouts, seconds);
      print(values.json ? JSON.stringify(summary) : table(summary));
    } finally {
      parts.dispose();
    }
  },
};
