import { coverageOf } from '../../agent/router/coverage.ts';
import { createRouter } from '../../agent/router/router.ts';
import { missingGold } from '../../agent/fork/missing-gold.ts';
import { ForkError, type Fork } from '../../agent/fork/past.ts';
import { askedWith } from '../../agent/settings.ts';
import type { AgentDeps } from '../../agent/request.ts';
import { runFork, runGroup } from '../../agent/run.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { RolloutUpdate } from '../../records/updates.ts';
import {
  mergeOverrides,
  withOverrides,
  type RecipeSettings,
} from '../../recipes/parts/settings.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import { groupIdOf, type ForkRequest, type RunRequest } from '../contract/settings.ts';
import type { RunPolicies, RunPolicy } from './run-policies.ts';
import { checkSummaries, type recipeFor } from './request.ts';
import type { OpenSources } from './source-loader.ts';

/** The rollouts of one run of Ask: a group for each policy, or one that continues with a record. */

interface RunParts {
  request: RunRequest;
  question: Question;
  chosen: ReturnType<typeof recipeFor>;
  policies: RunPolicies;
  sources: Pick<OpenSources, 'retriever' | 'router' | 'local'>;
  summarizer: NonNullable<AgentDeps['summarizer']> | null;
  signal: AbortSignal;
}

type OnUpdate = (update: RolloutUpdate) => void;

function depsOf({ policy, router }: RunPolicy, { sources, summarizer }: RunParts): AgentDeps {
  return {
    policy,
    retriever: sources.retriever,
    router: router
      ? createRouter({ localCoverage: coverageOf(sources.local), weights: router })
      : sources.router,
    summarizer,
    now: () => performance.timeOrigin + performance.now(),
  };
}

async function forkOf(order: ForkRequest, retriever: Retriever): Promise<Fork> {
  const { of, event, change, source } = order;
  return {
    of,
    event,
    ...(source && { source }),
    ...(change === 'gold' && { passages: await missingGold(retriever, { of, event }) }),
    ...(change === 'admit' && { admit: true }),
  };
}

/** @throws ForkError where another policy would continue than the order allows */
function checkWriter({ writer }: ForkRequest, { policy: { info } }: RunPolicy): void {
  if (!writer || (writer.id === info.id && writer.revision === info.revision)) return;
  throw new ForkError(
    `${writer.id} ${writer.revision} wrote this rollout, but ${info.id} ${info.revision} would continue it. Choose the model that wrote it, or fork with another adapter.`,
  );
}

/** @throws ForkError where the record reads summaries that nobody would write, or another policy wrote it */
async function runForked(order: ForkRequest, parts: RunParts, told: OnUpdate): Promise<Rollout> {
  const { of, rolloutId, seed, temperature } = order;
  const { question, request, signal, summarizer } = parts;
  const { retrieval } = withOverrides(of.recipe.settings as unknown as RecipeSettings, {});
  if (retrieval.summarize === 'on' && !summarizer)
    throw new ForkError(
      'This rollout needs a summarizer, and none is chosen. Choose one under “Model and data”; extractive is built in.',
    );
  const opened = await parts.policies.get(request.policies?.[0]);
  const { adapter } = opened;
  checkWriter(order, opened);
  return runFork(
    depsOf(opened, parts),
    await forkOf(order, parts.sources.retriever),
    {
      rolloutId,
      signal,
      ...(seed === undefined ? {} : { seed }),
      ...(temperature === undefined ? {} : { overrides: { sampling: { temperature } } }),
      ...(adapter === undefined ? {} : { adapter }),
      // The list knows more of a question than a record keeps.
      ...(question.text === of.question.text ? { question } : {}),
    },
    told,
  );
}

async function make(parts: RunParts, told: OnUpdate): Promise<Rollout[]> {
  const { request, question, chosen, signal } = parts;
  const { settings, runId } = request;
  if (request.fork) return [await runForked(request.fork, parts, told)];
  // Those of a comparison are asked alike.
  const trained = await parts.policies.trainedWith(request.policies?.at(-1), settings.recipe);
  const overrides = mergeOverrides(trained, chosen.overrides);
  checkSummaries({ recipe: chosen.recipe, overrides }, parts.summarizer !== null);
  const made: Rollout[] = [];
  for (const [at, asked] of (request.policies ?? [undefined]).entries()) {
    if (signal.aborted) break;
    const opened = await parts.policies.get(asked);
    const { adapter } = opened;
    const group = await runGroup(
      depsOf(opened, parts),
      {
        question,
        ...chosen,
        overrides: askedWith(opened.policy.info, overrides),
        seed: settings.seed,
        size: settings.rollouts,
        runId,
        groupId: groupIdOf(runId, at),
        step: 0,
        ...(adapter === undefined ? {} : { adapter }),
        signal,
      },
      told,
    );
    made.push(...group);
  }
  return made;
}

/**
 * Makes the rollouts that a run asks for, and leaves the page's policy as it was.
 * @throws Error; ForkError where a record cannot be continued
 */
export async function runRollouts(parts: RunParts, told: OnUpdate): Promise<Rollout[]> {
  try {
    return await make(parts, told);
  } finally {
    await parts.policies.end();
  }
}
