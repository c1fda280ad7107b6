import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deriveSeed } from '../../src/base/random.ts';
import { runRollout } from '../../src/agent/run.ts';
import { RunningMean } from '../../src/agent/router/reward.ts';
import type { Router } from '../../src/agent/router/router.ts';
import { coverageOf } from '../../src/agent/router/coverage.ts';
import { fetchFromDisk, openEncoderFromDisk } from '../../src/cli/shared/build-world.ts';
import { builtIn } from '../../src/cli/shared/paths.ts';
import type { Question } from '../../src/records/records.ts';
import type { Rollout } from '../../src/records/rollout.ts';
import { HuggingFaceTokenizer } from '../../src/policy/open/tokenizer.ts';
import { getRecipe } from '../../src/systems/index.ts';
import type { SettingsOverride } from '../../src/recipes/parts/settings.ts';
import { openWorldRetriever } from '../../src/retrieval/open.ts';
import { loadWorld } from '../../src/retrieval/world/load.ts';
import { goldPlanPolicy } from './gold-plan.ts';

/** The agent's real loop, retriever and reward, with a gold plan in place of the language model. */

export interface NlrSettings {
  reward: 'paper' | 'measured';
  beta1: number;
  beta2: number;
}

export const RECIPE = 'search';
/** Passages per search returns. */
const K = 2;

export const overridesOf = (
  nlr: NlrSettings,
  source: 'router' | 'local' | 'web' = 'router',
  routing: 'sampled' | 'argmax' = 'sampled',
): SettingsOverride => ({
  retrieval: { source, k: K },
  nlr: { ...nlr, routing },
  budgets: { tokens: 1024 },
});

export interface Episode {
  question: Question;
  router: Router;
  overrides: SettingsOverride;
  seed: number;
  webLatency: RunningMean;
  step?: number;
}

export interface Environment {
  questions(split: string): Question[];
  localCoverage: (query: string) => number;
  run(episode: Episode): Promise<Rollout>;
  /** Asks both sources a question's gold queries, unmeasured: nobody then profits from another's caches. */
  prime(question: Question): Promise<void>;
  /** Asks the web the queries of these questions, measured: its mean is known before the first call. */
  meanWebLatency(questions: readonly Question[]): Promise<RunningMean>;
  /** Added to each measured web call from now on. */
  webDelayMs: number;
}

const readJson = (name: string): object =>
  JSON.parse(readFileSync(join(builtIn('policy'), name), 'utf8')) as object;

export async function openEnvironment(options: {
  world: string | undefined;
  webCache: 'memory' | 'off';
}): Promise<Environment> {
  const fetchFile = fetchFromDisk(options.world ?? builtIn('world'));
  const world = await loadWorld(fetchFile);
  const encoder = world.vectors ? await openEncoderFromDisk(builtIn('encoder')) : null;
  const retriever = openWorldRetriever(world, fetchFile, {
    encoder,
    webCache: options.webCache,
    webDelayMs: () => environment.webDelayMs,
  });
  const tokenizer = new HuggingFaceTokenizer(
    readJson('tokenizer.json'),
    readJson('tokenizer_config.json'),
  );
  const questions = (split: string): Question[] =>
    world.questions.filter((q) => q.split === split && (q.chain?.length ?? 0) > 0);
  const prime = async (question: Question): Promise<void> => {
    for (const { query } of question.chain ?? [])
      for (const source of [retriever.local, retriever.web]) await source.search(query, K);
  };
  const environment: Environment = {
    webDelayMs: 0,
    questions,
    localCoverage: coverageOf(world.local),
    run: async ({ question, router, overrides, seed, webLatency, step = 0 }) => {
      const rollout = await runRollout(
        {
          policy: goldPlanPolicy(tokenizer, question),
          retriever,
          router,
          now: () => performance.timeOrigin + performance.now(),
          webLatency,
        },
        {
          question,
          recipe: getRecipe(RECIPE),
          overrides,
          seed: deriveSeed(seed, question.id),
          rolloutId: question.id,
          runId: 'router',
          groupId: question.id,
          step,
        },
      );
      const failed = rollout.events.find((e) => e.kind === 'error');
      if (failed?.kind === 'error') throw new Error(`${question.id}: ${failed.message}`);
      return rollout;
    },
    prime: (question) => prime(question),
    meanWebLatency: async (sample) => {
      const mean = new RunningMean();
      for (const question of sample) {
        await prime(question);
        for (const { query } of question.chain ?? [])
          mean.add((await retriever.search('web', query, K)).latencyMs);
      }
      return mean;
    },
  };
  return environment;
}
