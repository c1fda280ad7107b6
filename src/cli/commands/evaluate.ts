import { judgeItemOf, withVerdict } from '../../evaluate/judge/agreement.ts';
import type { RouterWeights } from '../../agent/router/network.ts';
import type { MatrixType, StoreType } from '../../policy/ops/values.ts';
import { summarizeRollouts } from '../../evaluate/summary.ts';
import { decodeRouterState } from '../../learn/router/learner.ts';
import { overridesInForce } from '../../learn/settings/overrides.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { getRecipe, recipeOf } from '../../systems/index.ts';
import {
  mergeOverrides,
  withOverrides,
  type SettingsOverride,
} from '../../recipes/parts/settings.ts';
import { UsageError, type OptionLists, type OptionValues } from '../shared/options.ts';
import { judgeLines } from '../evaluate/judge-lines.ts';
import {
  askingOf,
  checkJudge,
  JUDGE_OPTIONS,
  JUDGE_RUN_OPTIONS,
  openJudgeModel,
  readPrice,
} from '../evaluate/judge-options.ts';
import { runJudge } from '../evaluate/judge-run.ts';
import { recordedWorld } from '../shared/generated-world.ts';
import { openParts, type PartsOptions } from '../shared/parts.ts';
import { runQuestions } from '../evaluate/run-questions.ts';
import {
  checkSummaries,
  openSummarizerNamed,
  openSummarizerOf,
  type SummarizerName,
} from '../parts/summarizer.ts';
import { sayBefore } from '../train/before.ts';
import { adapterAt, readRun, readRunAt, type RunFile } from '../train/folder.ts';
import { foundSources, partsOf, type SourceParts } from '../train/run-sources.ts';
import { endProgress, print, say, type Command } from '../shared/command.ts';
import { openOutput, writeAll } from '../evaluate/output.ts';
import { checkSystemsOptions, SYSTEMS_OPTIONS } from '../evaluate/options.ts';
import { evaluateSystems } from '../evaluate/run.ts';
import { select, table } from './rollout.ts';
import {
  overridesOf,
  partsOptions,
  ADAPTER_OPTIONS,
  PARTS_OPTIONS,
  QUESTION_OPTIONS,
  RECIPE_OPTIONS,
  sourceDefaults,
  sourcesOptions,
} from '../shared/shared-options.ts';
import type { JudgePrice } from '../../evaluate/judge/report.ts';
import type { JudgeOutcome } from '../../evaluate/judge/run.ts';
import { importRun } from '../../formats/rollouts/run.ts';
import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import type { Rollout } from '../../records/rollout.ts';
import { openRolloutRun } from '../shared/rollout-paths.ts';

/** Where the verdicts of a call are kept; null: nowhere. */
function judgementsFile(values: OptionValues): string | null {
  const [given, out] = [values['judgements'], values['out']];
  if (given !== undefined) return String(given);
  return out === undefined ? null : `${String(out)}.judgements.jsonl`;
}

/** The rollouts with what was said of them. */
function withVerdicts<R extends Rollout | ImportedRollout>(
  rollouts: readonly R[],
  outcomes: readonly JudgeOutcome[],
): R[] {
  const byId = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
  return rollouts.map((rollout) => {
    const outcome = byId.get(rollout.id);
    return outcome ? withVerdict(rollout, outcome) : rollout;
  });
}

async function readRollouts(path: string): Promise<ImportedRollout[]> {
  const { files, name } = await openRolloutRun([path]);
  const rollouts: ImportedRollout[] = [];
  let faults = 0;
  for await (const item of importRun(files, name)) {
    if (item.kind === 'rollout') rollouts.push(item.rollout);
    else faults += 1;
  }
  if (faults > 0) say(`${path}: ${faults} lines could not be read and are left out.`);
  return rollouts;
}

/** `lab evaluate --rollouts FILE --judge …`: no policy is loaded. @throws UsageError */
async function judgeFile(
  path: string,
  values: OptionValues,
  price: JudgePrice | null,
): Promise<void> {
  const rollouts = await readRollouts(path);
  const items = rollouts.map(judgeItemOf);
  if (items.every(({ golds }) => golds.length === 0))
    throw new UsageError(`${path} has no gold answers, which a judge needs.`);
  const opened = await openJudgeModel(values);
  if (!opened) throw new UsageError('--rollouts needs a judge: --judge DIR, or --judge URL.');
  try {
    const output = openOutput(values['out'] as string | undefined);
    const { report, outcomes } = await runJudge(items, {
      opened,
      asking: askingOf(values),
      price,
      file: judgementsFile(values),
    });
    writeAll(output, withVerdicts(rollouts, outcomes));
    print(values['json'] ? JSON.stringify({ judge: report }) : judgeLines(report).join('\n'));
  } finally {
    opened.close();
  }
}

interface Subject extends SourceParts {
  /** Folder of the adapter; undefined: the model without an adapter. */
  adapter: string | undefined;
  policy: string | undefined;
  world: PartsOptions['world'];
  recipe: string;
  weights: MatrixType | undefined;
  keys: StoreType | undefined;
  /** The run's own, where a run is evaluated. */
  settings: TrainSettings | null;
  /** The run's router, where it trained one. */
  routerWeights?: RouterWeights;
  /** The run's own, where it had one. */
  summarizer?: SummarizerName;
}

/** Parts that the run trained with, for those that the command line does not name. */
async function sourcesOfRun(
  file: RunFile,
  named: ReturnType<typeof sourcesOptions>,
): Promise<SourceParts & Pick<Subject, 'world'>> {
  const { corpus, engine, questions } = file.sources ?? {};
  // A file that is not used may be missing.
  const kept = file.sources && {
    corpus: named.corpus ? null : (corpus ?? null),
    engine: named.engine ? null : (engine ?? null),
    questions: named.questions === undefined ? (questions ?? null) : null,
  };
  const found = await foundSources(kept, {});
  return {
    world: named.world ?? recordedWorld(file.world),
    ...(found && partsOf(found)),
  };
}

/** What is evaluated: an adapter, a step of a run with the run's parts, or the policy. */
async function subjectOf(values: OptionValues, lists: OptionLists): Promise<Subject> {
  const text = (name: string): string | undefined => values[name] as string | undefined;
  const [adapter, policy] = [text('adapter'), text('policy')];
  const named = sourcesOptions(values, lists);
  const { world } = named;
  const weights = values.weights as MatrixType | undefined;
  const keys = values.kv as StoreType | undefined;
  const run = text('run');
  if (run === undefined) {
    const recipe = text('recipe') ?? 'search';
    return { adapter, policy, world, weights, keys, recipe, settings: null };
  }
  if (adapter !== undefined)
    throw new UsageError('--adapter and --run exclude each other; give one of them.');
  const at = readRunAt(run);
  const file = readRun(at.run);
  sayBefore(file, say);
  const { folder, router: trained } = adapterAt(at, say);
  return {
    ...(trained !== null && { routerWeights: decodeRouterState(trained).weights }),
    ...(await sourcesOfRun(file, named)),
    adapter: folder,
    policy: policy ?? file.policy.folder,
    weights: weights ?? file.policy.weights,
    keys: keys ?? file.policy.keys ?? 'f32',
    recipe: text('recipe') ?? file.settings.recipe,
    settings: file.settings,
    ...(file.summarizer !== undefined && { summarizer: file.summarizer }),
  };
}

/**
 * What evaluation changes in the recipe's settings: what the command line names, over what the run
 * trained with, where no other recipe is named. The router takes the likelier source, as in the run's own held-out scores.
 */
export function evaluationOverrides(
  values: OptionValues,
  lists: OptionLists,
  run: TrainSettings | null,
  own: SourceParts = {},
): SettingsOverride {
  const trained = run && values.recipe === undefined ? overridesInForce(run) : {};
  const routed = mergeOverrides(trained, { nlr: { routing: 'argmax' } });
  // A run's own sources are searched as its settings say; another recipe gets the same setting.
  const alone = run && values.recipe !== undefined ? sourceDefaults(own) : {};
  return mergeOverrides(mergeOverrides(alone, routed), overridesOf(values, lists));
}

/** Options that apply where rollouts are read from a file. */
const OF_ROLLOUTS = new Set([
  'rollouts',
  'out',
  'json',
  ...Object.keys(JUDGE_OPTIONS),
  ...Object.keys(JUDGE_RUN_OPTIONS),
]);

/** @throws UsageError for an option of new rollouts */
function refuseBesideRollouts(values: OptionValues, lists: OptionLists): void {
  const defaults: OptionValues = Object.fromEntries(
    Object.entries(evaluateCommand.options).map(([name, spec]) => [name, spec.default]),
  );
  const other =
    Object.keys(values).find((name) => !OF_ROLLOUTS.has(name) && values[name] !== defaults[name]) ??
    Object.keys(lists)[0];
  if (other !== undefined)
    throw new UsageError(
      `--rollouts judges existing rollouts; --${other} applies only to new ones. Leave one of them out.`,
    );
}

const { default: _, ...RECIPE } = RECIPE_OPTIONS.recipe;

export const evaluateCommand: Command = {
  name: 'evaluate',
  summary: 'scores a trained adapter, or compares several systems, on the questions of a world',
  options: {
    ...ADAPTER_OPTIONS,
    run: {
      type: 'string',
      value: 'DIR[@STEP]',
      help: 'a training run: adapter and router of its last step, or of another stored step; with --recipes several, separated by commas',
    },
    ...RECIPE_OPTIONS,
    recipe: { ...RECIPE, help: "which system (default: the run's, else search)" },
    temperature: { ...RECIPE_OPTIONS.temperature, default: 0.3 },
    routing: {
      ...RECIPE_OPTIONS.routing,
      help: 'how the router chooses: the likelier source, or sampled from its probabilities (default: argmax)',
    },
    limit: { type: 'integer', value: 'N', help: 'questions', default: 300, min: 1 },
    seed: { type: 'integer', value: 'S', help: 'seed of the sampling', default: 0, min: 0 },
    ...SYSTEMS_OPTIONS,
    ...QUESTION_OPTIONS,
    ...PARTS_OPTIONS,
    ...JUDGE_OPTIONS,
    ...JUDGE_RUN_OPTIONS,
    rollouts: {
      type: 'string',
      value: 'FILE',
      help: 'with --judge: judge the rollouts of this file instead of new ones, in any layout that lab rollouts reads',
    },
    out: {
      type: 'string',
      value: 'FILE',
      help: 'write the rollouts as JSON lines, with the verdicts of --judge; with --recipes a folder, from which the same command continues',
    },
    json: { type: 'boolean', help: 'print one JSON object and nothing else' },
  },
  async run(values, _positionals, lists) {
    checkJudge(values, ['rollouts', ...Object.keys(JUDGE_RUN_OPTIONS)]);
    if (checkSystemsOptions(values, lists)) return evaluateSystems(values, lists);
    const price = readPrice(values['judge-price']);
    if (values.rollouts !== undefined) {
      refuseBesideRollouts(values, lists);
      return judgeFile(String(values.rollouts), values, price);
    }
    const { recipe, settings, summarizer, ...subject } = await subjectOf(values, lists);
    const system = settings && values.recipe === undefined ? recipeOf(settings) : getRecipe(recipe);
    const overrides = evaluationOverrides(values, lists, settings, subject);
    const helper =
      (await openSummarizerOf(values)) ?? (summarizer && (await openSummarizerNamed(summarizer)));
    checkSummaries(system, withOverrides(system.settings, overrides), helper);
    const judge = await openJudgeModel(values);
    const parts = await openParts({
      ...partsOptions(values, lists),
      ...subject,
      summarizer: helper,
    });
    endProgress();
    try {
      const questions = select(parts, values);
      const out = values.out as string | undefined;
      const output = openOutput(out);
      const { rollouts, seconds } = await runQuestions(parts, questions, {
        recipe: system,
        overrides,
        group: 1,
        seed: Number(values.seed),
        onRollouts: (rollouts) => writeAll(output, rollouts),
      });
      const summary = summarizeRollouts(rollouts, seconds);
      const judged =
        judge &&
        (await runJudge(rollouts.map(judgeItemOf), {
          opened: judge,
          asking: askingOf(values),
          price,
          file: judgementsFile(values),
        }));
      if (judged && out !== undefined)
        writeAll(openOutput(out), withVerdicts(rollouts, judged.outcomes));
      const report = judged && judged.report;
      if (values.json) print(JSON.stringify({ ...summary, ...(report && { judge: report }) }));
      else print([table(summary), ...(report ? judgeLines(report) : [])].join('\n'));
    } finally {
      judge?.close();
      parts.dispose();
    }
  },
};
