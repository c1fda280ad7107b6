import type { RouterWeights } from '../../agent/router/network.ts';
import type { MatrixType } from '../../policy/ops/values.ts';
import { summarizeRollouts } from '../../evaluate/summary.ts';
import { decodeRouterState } from '../../learn/router/state.ts';
import { overridesInForce } from '../../learn/settings/overrides.ts';
import type { TrainSettings } from '../../recipes/training.ts';
import { getRecipe } from '../../recipes/index.ts';
import { mergeOverrides, type SettingsOverride } from '../../recipes/settings.ts';
import { UsageError, type OptionLists, type OptionValues } from '../shared/options.ts';
import { openParts } from '../shared/parts.ts';
import { runQuestions } from '../shared/run-questions.ts';
import { adapterFolderOf, loadSnapshot, readRun } from '../train/folder.ts';
import { endProgress, print, say, type Command } from '../shared/command.ts';
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
  weights: MatrixType | undefined;
  /** The run's own, where a run is evaluated. */
  settings: TrainSettings | null;
  /** The run's router, where it trained one. */
  routerWeights?: RouterWeights;
}

/** What is evaluated: an adapter, the last snapshot of a run with the run's parts, or the policy. */
function subjectOf(values: OptionValues): Subject {
  const text = (name: string): string | undefined => values[name] as string | undefined;
  const [adapter, policy, world] = [text('adapter'), text('policy'), text('world')];
  const weights = values.weights as MatrixType | undefined;
  const run = text('run');
  if (run === undefined)
    return { adapter, policy, world, weights, recipe: text('recipe') ?? 'search', settings: null };
  if (adapter !== undefined) throw new UsageError('--adapter and --run exclude each other.');
  const file = readRun(run);
  const trained = loadSnapshot(run, say)?.router ?? null;
  return {
    ...(trained !== null && { routerWeights: decodeRouterState(trained).weights }),
    adapter: adapterFolderOf(run),
    policy: policy ?? file.policy.folder,
    world: world ?? file.world.folder ?? undefined,
    weights: weights ?? file.policy.weights,
    recipe: text('recipe') ?? file.settings.recipe,
    settings: file.settings,
  };
}

/**
 * What evaluation changes in the recipe's settings: what the command line names, over what the run
 * trained with; of a run only how it routes held-out questions where another recipe is named.
 */
export function evaluationOverrides(
  values: OptionValues,
  lists: OptionLists,
  run: TrainSettings | null,
): SettingsOverride {
  const trained = run && values.recipe === undefined ? overridesInForce(run) : {};
  const routed = mergeOverrides(trained, {
    nlr: { routing: run ? run.router.evaluation : 'argmax' },
  });
  return mergeOverrides(routed, overridesOf(values, lists));
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
      help: "a training run: its last snapshot's adapter and router",
    },
    ...RECIPE_OPTIONS,
    recipe: { ...RECIPE, help: "which system; the run's, else search" },
    temperature: { ...RECIPE_OPTIONS.temperature, default: 0.3 },
    routing: {
      ...RECIPE_OPTIONS.routing,
      help: "how the router chooses: the likelier source, or drawn from its probabilities; as the run's held-out questions, else argmax",
    },
    limit: { type: 'integer', value: 'N', help: 'questions', default: 300, min: 1 },
    seed: { type: 'integer', value: 'S', help: 'seed of the sampling', default: 0, min: 0 },
    ...QUESTION_OPTIONS,
    ...PARTS_OPTIONS,
    out: { type: 'string', value: 'FILE', help: 'write the rollouts, one JSON a line' },
    json: { type: 'boolean', help: 'print one JSON object and nothing else' },
  },
  async run(values, _positionals, lists) {
    const { recipe, settings, ...subject } = subjectOf(values);
    const parts = await openParts({ ...partsOptions(values, lists), ...subject });
    endProgress();
    try {
      const questions = select(parts, values);
      const output = await openOutput(values.out as string | undefined);
      const { rollouts, seconds } = await runQuestions(parts, questions, {
        recipe: getRecipe(recipe),
        overrides: evaluationOverrides(values, lists, settings),
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
