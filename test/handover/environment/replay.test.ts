import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPolicy } from '../../../src/cli/shared/parts.ts';
import { isFailure } from './served.ts';
import { createCurriculum } from '../../../src/learn/curriculum/create.ts';
import { loadCurriculum } from '../../../src/learn/curriculum/provided.ts';
import { trainedTokens } from '../../../src/learn/mask.ts';
import { collect } from '../../../src/learn/rl/collect.ts';
import { createPolicy, loadWeights } from '../../../src/policy/open/load.ts';
import type { Generated, Policy, PolicySession } from '../../../src/policy/policy.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { ALL_TESTS } from '../../slow/slow.ts';
import { byteTokenizer } from '../../agent/text/tokenizers.ts';
import { itemAt, present } from '../../../src/base/items.ts';
import { drive, partsOf, resultsOf, serve, settingsOf, type Served } from './served.ts';
import { testWorld } from './world.ts';
import { cachingRetriever } from '../../../src/handover/environment/caching-retriever.ts';
import type { SampleRequest } from '../../../src/handover/environment/protocol.ts';

/**
 * Forage's own loop samples per step with its own engine; then the same step is run by the environment, whose
 * requests are answered with the tokens of the first, and with rubbish after every stop. Both must be one:
 * who samples is all that differs.
 */

interface Call {
  maxTokens: number;
  generated: Generated;
}

const keyOf = (seed: number, context: readonly number[]): string => `${seed} ${context.join(' ')}`;

/** A policy that keeps what it sampled, by seed and context. */
function recording(policy: Policy, calls: Map<string, Call[]>): Policy {
  const wrap = (session: PolicySession, seed: number, ids: number[]): PolicySession => ({
    get length() {
      return session.length;
    },
    append: (more) => {
      ids.push(...more);
      session.append(more);
    },
    generate: async (options) => {
      const key = keyOf(seed, ids);
      const generated = await session.generate(options);
      ids.push(...generated.ids);
      const { maxTokens } = options;
      if (maxTokens > 0) calls.set(key, [...(calls.get(key) ?? []), { maxTokens, generated }]);
      return generated;
    },
    fork: async (own) => wrap(await session.fork(own), own, [...ids]),
    close: () => session.close(),
  });
  const { info, tokenizer, chat } = policy;
  return {
    info,
    tokenizer,
    chat,
    open: async (seed) => wrap(await policy.open(seed), seed, []),
    dispose: () => undefined,
  };
}

/** What differs from run to run: times, what a cache of fetched shards saved, and what only an engine has. */
const VOLATILE = new Set([
  't',
  'latencyMs',
  'ms',
  'seconds',
  'createdAt',
  'bytes',
  'requests',
  'entropies',
]);

function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !VOLATILE.has(key))
      .map(([key, held]) => [key, lasting(held)]),
  );
}

/** The record except for what is volatile, and for the sentence on who gave its log-probabilities. */
const comparable = ({
  policy: { id, revision, adapter, logprobsOf },
  ...record
}: Rollout): unknown => lasting({ ...record, policy: { id, revision, adapter, logprobsOf } });

const QUESTIONS = ALL_TESTS ? 6 : 2;
const GROUP = 4;

interface Recorded {
  rollouts: Rollout[];
  calls: Map<string, Call[]>;
}

async function record(settings: TrainSettings, policy: Policy): Promise<Recorded> {
  const { questions, retriever, router } = await testWorld();
  const calls = new Map<string, Call[]>();
  const train = questions.filter(({ split }) => split === 'train');
  await loadCurriculum(settings);
  const { all } = await collect({
    settings,
    agent: { policy: recording(policy, calls), retriever, router, now: Date.now },
    curriculum: createCurriculum(settings, { questions: train, retriever }),
    runId: 'run',
    step: 1,
    stage: itemAt(settings.stages, 0),
    onRollout: () => undefined,
  });
  return { rollouts: all.flat(), calls };
}

/** Answers as the first run sampled, with rubbish behind. */
function replayed(calls: Map<string, Call[]>): (request: SampleRequest) => Answered {
  return ({ seed, context, maxTokens }) => {
    const call = present(calls.get(keyOf(seed, context))?.shift(), 'the recorded call');
    expect(call.maxTokens).toBeGreaterThanOrEqual(maxTokens);
    const { ids, logprobs, finish } = call.generated;
    const behind = finish === 'stop' ? [7, 1, 9] : [];
    return { ids: [...ids, ...behind], logprobs: [...logprobs, ...behind.map(() => -1)] };
  };
}
interface Answered {
  ids: number[];
  logprobs: number[];
}

const changes = (...more: string[]): string[] => [
  `questions=${QUESTIONS}`,
  `groupSize=${GROUP}`,
  ...more,
];

const SHORT =
  'overrides={"budgets":{"tokens":60,"stepTokens":40,"answerTokens":24},"retrieval":{"passageTokens":40},"stie":{"candidates":2,"probeTokens":8}}';

const WHOLE = ['recipe=kunlun-baize', 'dynamicSampling=null'];
const PAPER = 'overrides={"background":{"mode":"shown"},"stie":{"mode":"paper"}}';

const BUILT_IN: [string, TrainSettings][] = [
  ['search-r1', settingsOf('search-r1', changes())],
  ['search, drawn again', settingsOf('kunlun-baize/dapo', changes())],
  ['kunlun-baize: background, probes, router', settingsOf('kunlun-baize/dapo', changes(...WHOLE))],
  [
    'kunlun-baize: T shown, probes of the paper',
    settingsOf('kunlun-baize/dapo', changes(...WHOLE, PAPER)),
  ],
  [
    'gold and noise',
    settingsOf('r1-searcher', changes('curriculum.system={"id":"kunlun-baize","goldEpochs":4}')),
  ],
];
const TEXT: [string, TrainSettings][] = [
  ['search-r1', settingsOf('search-r1', changes(SHORT))],
  ['kunlun-baize', settingsOf('kunlun-baize/dapo', changes(...WHOLE, SHORT))],
];

async function tinyPolicy(): Promise<Policy> {
  const folder = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
  const weights = await loadWeights((name) => readFile(new URL(name, folder)));
  const config = { ...weights.config, maxPositions: 4096 };
  return createPolicy(
    { ...weights, config },
    byteTokenizer,
    { id: 'tiny', revision: '0', dtype: 'f32' },
    { device: 'wasm', maxSlots: 24 },
  );
}

describe.each([
  ['the built-in policy', () => openPolicy({ device: 'wasm' }), BUILT_IN],
  ['a checkpoint whose tags are text', tinyPolicy, TEXT],
] as const)('%s', (_name, open, variants) => {
  let policy: Policy;
  beforeAll(async () => {
    policy = await open();
  });
  afterAll(() => policy.dispose());

  const serving = async (settings: TrainSettings): Promise<Served> => {
    const { tokenizer, chat } = policy;
    const { retriever } = await testWorld();
    return serve(
      await partsOf(settings, {
        retriever: cachingRetriever(retriever),
        reader: { info: { ...policy.info, device: 'server' }, tokenizer, chat },
        vocabulary: tokenizer.vocabSize,
      }),
      {},
    );
  };

  it.each(variants)('%s: a step answered over HTTP is that of the loop', async (_, settings) => {
    const recorded = await record(settings, policy);
    // Dynamic sampling draws per second batch for the step.
    expect([1, 2].map((batches) => batches * QUESTIONS * GROUP)).toContain(
      recorded.rollouts.length,
    );
    const served = await serving(settings);
    try {
      const episodes = recorded.rollouts.map(({ id }, i) => ({
        id,
        draw: Math.floor(i / GROUP),
        index: i % GROUP,
        step: 1,
      }));
      const done = await drive(served, episodes, replayed(recorded.calls));
      expect(done.filter(isFailure)).toEqual([]);
      // Nothing that was sampled is left over.
      expect([...recorded.calls.values()].flat()).toEqual([]);
      const records = new Map(served.records.map((one) => [one.id, one]));
      for (const rollout of recorded.rollouts)
        expect(comparable(present(records.get(rollout.id), rollout.id))).toEqual(
          comparable(rollout),
        );
      const results = new Map(resultsOf(done).map((one) => [one.rollout, one]));
      for (const rollout of recorded.rollouts) {
        const { promptIds, completionIds, mask, logprobs, reward } = present(
          results.get(rollout.id),
          rollout.id,
        );
        const trained = trainedTokens(rollout);
        const before = promptIds.length;
        expect([...promptIds, ...completionIds]).toEqual([...trained.ids]);
        expect([...promptIds.map(() => 0), ...mask]).toEqual([...trained.mask]);
        expect(Float32Array.from(logprobs ?? [])).toEqual(trained.oldLogprobs.slice(before));
        expect(reward).toBe(rollout.reward);
      }
    } finally {
      await served.stop();
    }
  });
});
