import { expect, it } from 'vitest';
import { runRollout } from '../../src/agent/run.ts';
import { createRouter } from '../../src/agent/router/router.ts';
import { FALLBACK_HINT, unsummarized } from '../../src/agent/summarizing.ts';
import { stepRecord } from '../../src/learn/rl/record.ts';
import { readFacts } from '../../src/learn/rewards/parts/facts.ts';
import { trainedTokens } from '../../src/learn/mask.ts';
import type { Rollout } from '../../src/records/rollout.ts';
import { getRecipe } from '../../src/systems/index.ts';
import { openSummarizer } from '../../src/retrieval/summarize/index.ts';
import type { Summarizer } from '../../src/retrieval/summarize/summarizer.ts';
import {
  contextText,
  eventsOf,
  expectInvariants,
  QUESTION,
  retrieverOver,
  run,
} from './helpers.ts';
import { ScriptedPolicy } from './scripted-policy.ts';

const search = (query: string) => `<think> t</think><search> ${query}</search>`;
const ANSWER = '<think> t</think><short_answer> \\boxed{ Borfield }</short_answer>';

async function summarized(query: string, summarizer: Summarizer | null) {
  const policy = new ScriptedPolicy({ main: [search(query), ANSWER] }, 4);
  const rollout = await runRollout(
    { policy, retriever: retrieverOver(), router: createRouter(), now: Date.now, summarizer },
    {
      question: QUESTION,
      recipe: getRecipe('search'),
      overrides: { retrieval: { summarize: 'on' } },
      seed: 7,
      rolloutId: 'r',
      runId: 'run',
      groupId: 'g',
      step: 0,
    },
  );
  expectInvariants(rollout, policy);
  return rollout;
}

/** The record of a training step that made these rollouts. */
const stepOf = (rollouts: Rollout[]) =>
  stepRecord({
    runId: 'run',
    step: 1,
    stage: 0,
    at: '2026-01-01T00:00:00.000Z',
    collected: { trained: [], all: [rollouts], batches: 1, zeroVariance: 0, drawn: {} },
    update: null,
    kl: null,
    learningRate: 1e-4,
    heldOut: null,
    router: null,
    seconds: { rollout: 1, update: 0, heldOut: 0, checkpoint: 0, total: 1 },
  });

const result = (text: string) => /<result>([\s\S]*?)<\/result>/u.exec(text)?.[1]?.trim();

it('shows the summary in place of the passages, and keeps what went in', async () => {
  const rollout = await summarized('who wrote Old Wolf', openSummarizer({ kind: 'extractive' }));
  const [event] = eventsOf(rollout, 'summarize');
  const [retrieved] = eventsOf(rollout, 'retrieve');
  expect(event).toMatchObject({ query: 'who wrote Old Wolf', fallback: false, cached: false });
  expect(event?.passages).toEqual(retrieved?.hits.map(({ passage }) => passage.id));
  expect(result(contextText(rollout))).toBe(event?.text);
  expect(event?.text).toContain('Old Wolf : Old Wolf was written by Victor Kerlund.');
  expect(event?.segment).toBe(retrieved?.segment);
  expect(rollout.segments[event?.segment ?? -1]?.role).toBe('result');
  expect(readFacts(rollout).queries).toMatchObject([{ answered: true, refused: false }]);
});

it('sends a query for reasoning back: fallback sentence, then a hint, neither trained', async () => {
  const rollout = await summarized('calculate 3 * 4', openSummarizer({ kind: 'extractive' }));
  const [event] = eventsOf(rollout, 'summarize');
  expect(event?.fallback).toBe(true);
  expect(result(contextText(rollout))).toBe(event?.text);
  const at = rollout.segments.findIndex(({ role }) => role === 'result');
  const hint = rollout.segments[at + 1];
  expect(hint).toMatchObject({ role: 'hint', source: 'environment', mask: 0 });
  expect(hint?.text).toContain(FALLBACK_HINT);
  // UR²'s P_fallback counts it.
  expect(readFacts(rollout).queries).toMatchObject([{ answered: false, refused: true }]);
  const before = rollout.segments.slice(0, at).reduce((sum, { ids }) => sum + ids.length, 0);
  const length = (rollout.segments[at]?.ids.length ?? 0) + (hint?.ids.length ?? 0);
  const { mask } = trainedTokens(rollout);
  expect(mask.length).toBeGreaterThan(before + length);
  expect([...mask].slice(before, before + length).map(Number)).toEqual(Array(length).fill(0));
});

it.each([
  // Passages came, but a task is no query for them: for the router that is a miss.
  ['conclude who wrote Old Wolf', 1],
  ['who wrote Old Wolf', 0],
])('tells the next choice of a source what %j brought', async (first, missed) => {
  const policy = new ScriptedPolicy({ main: [search(first), search('Victor Kerlund'), ANSWER] });
  const rollout = await runRollout(
    {
      policy,
      retriever: retrieverOver(),
      router: createRouter(),
      now: Date.now,
      summarizer: openSummarizer({ kind: 'extractive' }),
    },
    {
      question: QUESTION,
      recipe: getRecipe('search'),
      overrides: { retrieval: { summarize: 'on', source: 'router' } },
      seed: 7,
      rolloutId: 'r',
      runId: 'run',
      groupId: 'g',
      step: 0,
    },
  );
  const [before, after] = eventsOf(rollout, 'route').map(
    ({ features }) => features.find(({ name }) => name === 'last missed')?.value,
  );
  expect([before, after]).toEqual([0, missed]);
  expect(eventsOf(rollout, 'retrieve')[0]?.hits).not.toEqual([]);
});

it('shows the passages where the summarizer fails or is missing, and says so', async () => {
  const broken: Summarizer = { id: 'x', summarize: () => Promise.reject(new Error('offline')) };
  for (const [summarizer, why] of [
    [broken, 'offline'],
    [null, 'there is no summarizer'],
  ] as const) {
    const rollout = await summarized('who wrote Old Wolf', summarizer);
    expect(eventsOf(rollout, 'summarize')).toEqual([]);
    expect(eventsOf(rollout, 'error')).toMatchObject([
      { what: 'retrieval', message: expect.stringContaining(why) },
    ]);
    expect(result(contextText(rollout))).toContain('Old Wolf : Old Wolf was written by');
    // The step of a training tells it: its summaries are what the recipe is on.
    expect(unsummarized(rollout.events)).toEqual([why]);
    expect(stepOf([rollout, rollout]).unsummarized).toEqual({ results: 2, because: why });
  }
  const fine = await summarized('who wrote Old Wolf', openSummarizer({ kind: 'extractive' }));
  expect(stepOf([fine])).not.toHaveProperty('unsummarized');
});

it('is off by default', async () => {
  const { rollout } = await run({ main: [search('Old Wolf'), ANSWER] });
  expect(rollout.recipe.settings).toMatchObject({ retrieval: { summarize: 'off' } });
  expect(eventsOf(rollout, 'summarize')).toEqual([]);
});
