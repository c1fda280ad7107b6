import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runGroup } from '../../src/agent/run.ts';
import { createRouter } from '../../src/agent/router/router.ts';
import type { Question } from '../../src/records/records.ts';
import type { Rollout } from '../../src/records/rollout.ts';
import { createPolicy } from '../../src/policy/open/load.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { initWeights } from '../../src/policy/checkpoint/weights.ts';
import { getRecipe, RECIPES } from '../../src/systems/index.ts';
import type { SettingsOverride } from '../../src/recipes/parts/settings.ts';
import { openWorldRetriever } from '../../src/retrieval/open.ts';
import type { Retriever } from '../../src/retrieval/retriever.ts';
import { loadWorld } from '../../src/retrieval/world/load.ts';
import { eventsOf, expectSegments } from './helpers.ts';
import { tokenizer } from './tokenizer.ts';

/**
 * The real engine with untrained weights and the shipped world: noise in every recipe. The
 * output rows of the tags are made large, so that tags are common in what it writes.
 */
const world = new URL('../../public/world/', import.meta.url);
const fetchFile = (name: string): Promise<Uint8Array> => readFile(new URL(name, world));

let policy: Policy;
let retriever: Retriever;
let questions: Question[];

beforeAll(async () => {
  const shape = {
    vocabSize: tokenizer.vocabSize,
    hiddenSize: 64,
    layers: 2,
    heads: 2,
    kvHeads: 1,
    headDim: 32,
    intermediateSize: 96,
    rmsNormEps: 1e-6,
    ropeTheta: 10_000,
    tieWordEmbeddings: false,
    maxPositions: 384,
  };
  const weights = initWeights(shape, 3);
  for (let i = 2 * 64; i < 22 * 64; i++) weights.head[i] = (weights.head[i] ?? 0) * 24;
  policy = await createPolicy(
    weights,
    tokenizer,
    { id: 'untrained', revision: '0', dtype: 'f32' },
    { device: 'wasm', maxSlots: 16 },
  );
  const loaded = await loadWorld(fetchFile);
  questions = loaded.questions.filter((question) => question.split === 'test');
  retriever = openWorldRetriever(loaded, fetchFile);
}, 60_000);
afterAll(() => policy.dispose());

async function group(recipe: string, overrides: SettingsOverride, seed = 5): Promise<Rollout[]> {
  const [question] = questions;
  if (!question) throw new Error('the world has no test question');
  return runGroup(
    { policy, retriever, router: createRouter(), now: Date.now },
    {
      question,
      recipe: getRecipe(recipe),
      overrides,
      seed,
      size: 4,
      runId: 'run',
      groupId: 'g',
      step: 0,
    },
  );
}

const ids = (rollouts: Rollout[]): number[][] =>
  rollouts.map((rollout) => rollout.segments.flatMap((segment) => segment.ids));

const VARIANTS: [string, SettingsOverride][] = [
  // One that has to be asked in natural language refuses this policy (test/agent/systems/loops.test.ts).
  ...RECIPES.filter(({ needs }) => needs === undefined).map(
    (recipe): [string, SettingsOverride] => [recipe.id, {}],
  ),
  ['kunlun-baize', { background: { mode: 'shown' }, stie: { mode: 'paper' } }],
];

describe('an untrained policy', () => {
  it.each(VARIANTS)('%s %j: every rollout ends with a record that holds', async (id, overrides) => {
    const rollouts = await group(id, overrides);
    expect(rollouts).toHaveLength(4);
    for (const rollout of rollouts) {
      expectSegments(rollout);
      expect(rollout.events.at(-1)?.kind).toBe('stop');
      expect(eventsOf(rollout, 'error').filter((event) => event.what !== 'malformed')).toEqual([]);
      const length = rollout.segments.reduce((sum, segment) => sum + segment.ids.length, 0);
      expect(length).toBeLessThanOrEqual(policy.info.maxContext);
    }
  });

  it('the same seed gives the same rollouts, another seed others', async () => {
    const first = ids(await group('kunlun-baize', {}));
    expect(ids(await group('kunlun-baize', {}))).toEqual(first);
    expect(ids(await group('kunlun-baize', {}, 6))).not.toEqual(first);
  });
});
