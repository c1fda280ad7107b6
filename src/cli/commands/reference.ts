import type { AgentDeps } from '../../agent/request.ts';
import { runRollout } from '../../agent/run.ts';
import { deriveSeed } from '../../base/random.ts';
import { armResult, referenceTable } from '../../evaluate/reference.ts';
import { getRecipe } from '../../systems/index.ts';
import { mergeOverrides, type SettingsOverride } from '../../recipes/parts/settings.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Hit } from '../../records/hits.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import { GoldRetriever, GoldSearches } from '../../retrieval/gold.ts';
import { fetchFromDisk } from '../shared/build-world.ts';
import { openPolicy, openWorld } from '../shared/parts.ts';
import { UsageError } from '../shared/options.ts';
import { builtIn } from '../shared/paths.ts';
import { webPassages } from '../parts/measured-world.ts';
import { endProgress, print, sayProgress, type Command } from '../shared/command.ts';

/** Rollouts that run at the same time. */
const AT_ONCE = 32;

interface Arm {
  name: string;
  recipe: string;
  overrides: SettingsOverride;
  /** Reference policy with the question's reasoning chain; one per rollout. */
  gold?: typeof GoldRetriever | typeof GoldSearches;
}

/** Passages given with the question instead of searches. */
const GIVEN: SettingsOverride = {
  background: { mode: 'shown-and-used-by-T', k: 5 },
  retrieval: { maxSearches: 0 },
};

const ARMS: readonly Arm[] = [
  { name: 'naive generation', recipe: 'naive-generation', overrides: {} },
  { name: 'naive RAG', recipe: 'naive-rag', overrides: {} },
  { name: 'gold given', recipe: 'search', overrides: GIVEN, gold: GoldRetriever },
  { name: 'gold found', recipe: 'search', overrides: {}, gold: GoldSearches },
  { name: 'plain search', recipe: 'search', overrides: {} },
];

async function runArm(
  deps: AgentDeps,
  passages: ReadonlyMap<string, Hit>,
  questions: readonly Question[],
  arm: Arm,
  over: SettingsOverride,
  seed: number,
): Promise<Rollout[]> {
  const rollouts: Rollout[] = [];
  const recipe = getRecipe(arm.recipe);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < questions.length) {
      const index = next++;
      const question = questions[index];
      if (!question) return;
      const retriever = arm.gold
        ? new arm.gold(deps.retriever, question, passages)
        : deps.retriever;
      rollouts[index] = await runRollout(
        { ...deps, retriever },
        {
          question,
          recipe,
          overrides: mergeOverrides(arm.overrides, over),
          seed: deriveSeed(seed, 'question', index),
          rolloutId: `${arm.recipe}-${question.id}`,
          runId: 'reference',
          groupId: question.id,
          step: 0,
        },
      );
      sayProgress(`${arm.name}: ${rollouts.filter(Boolean).length}/${questions.length}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, questions.length) }, work));
  endProgress();
  return rollouts;
}

/** @throws UsageError where there is no arm of a name */
function chosen(names: readonly string[] | undefined): readonly Arm[] {
  const unknown = names?.find((name) => ARMS.every((arm) => arm.name !== name));
  if (unknown !== undefined)
    throw new UsageError(
      `--arm is '${unknown}'; it must be one of ${ARMS.map(({ name }) => `'${name}'`).join(', ')}.`,
    );
  return names ? ARMS.filter(({ name }) => names.includes(name)) : ARMS;
}

/** Inputs of a world's rollouts: sources, passages of both corpora by id, the first test questions. */
async function opened(policy: Policy, folder: string | undefined, limit: number) {
  const { world, retriever, router } = await openWorld(folder);
  const web = await webPassages(fetchFromDisk(folder ?? builtIn('world')));
  const passages = new Map<string, Hit>([
    ...world.local.map((passage) => [passage.id, { passage, score: 1, source: 'local' }] as const),
    ...web.map((passage) => [passage.id, { passage, score: 1, source: 'web' }] as const),
  ]);
  const questions = world.questions.filter(({ split }) => split === 'test').slice(0, limit);
  const deps: AgentDeps = { policy, retriever, router, now: Date.now };
  return { deps, passages, questions };
}

export const referenceCommand: Command = {
  name: 'reference',
  summary:
    'measures how far a model gets without search, with gold passages given, and by searching',
  options: {
    world: {
      type: 'string',
      value: 'DIR',
      help: 'world folder (default: the built-in one); may be repeated: several count as one',
      multiple: true,
    },
    policy: {
      type: 'string',
      value: 'DIR',
      help: 'checkpoint folder or GGUF file (default: the built-in one)',
    },
    adapter: { type: 'string', value: 'DIR', help: 'PEFT folder of an adapter' },
    arm: {
      type: 'string',
      value: 'NAME',
      help: 'only this arm; may be repeated',
      multiple: true,
    },
    k: { type: 'integer', value: 'K', help: 'passages per search', default: 3, min: 1, max: 20 },
    temperature: { type: 'number', value: 'T', help: 'sampling temperature', default: 1, min: 0 },
    limit: {
      type: 'integer',
      value: 'N',
      help: 'test questions of each world',
      default: 300,
      min: 1,
    },
    seed: { type: 'integer', value: 'S', help: 'seed of the sampling', default: 1, min: 0 },
    json: { type: 'boolean', help: 'print one JSON object' },
  },
  async run(values, _positionals, lists) {
    const text = (name: string): string | undefined => values[name] as string | undefined;
    const arms = chosen(lists['arm']);
    const policy = await openPolicy({
      policy: text('policy'),
      adapter: text('adapter'),
      device: 'wasm',
    });
    try {
      const over: SettingsOverride = {
        sampling: { temperature: Number(values.temperature) },
        retrieval: { k: Number(values.k) },
      };
      const rollouts: Rollout[][] = arms.map(() => []);
      for (const folder of lists['world'] ?? [undefined]) {
        const { deps, passages, questions } = await opened(policy, folder, Number(values.limit));
        for (const [i, arm] of arms.entries())
          rollouts[i]?.push(
            ...(await runArm(deps, passages, questions, arm, over, Number(values.seed))),
          );
      }
      const results = arms.map(({ name }, i) => armResult(name, rollouts[i] ?? []));
      print(values.json === true ? JSON.stringify({ arms: results }) : referenceTable(results));
    } finally {
      policy.dispose();
    }
  },
};
