import { expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { runRollout } from '../../../src/agent/run.ts';
import { readTags } from '../../../src/agent/transcript/tags.ts';
import { fallbacksOf } from '../../../src/learn/rl/record.ts';
import { warmStartQuestions } from '../../../src/learn/rl/warm-start.ts';
import {
  asReasoningQuery,
  leavesReasoning,
  reasoningQuery,
} from '../../../src/learn/rl/warm-start.ts';
import { usableDemonstrations } from '../../../src/learn/rl/warm-up-data.ts';
import { scoreRollout, totalReward } from '../../../src/learn/rewards/index.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import type { Question } from '../../../src/records/records.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { classifyQuery } from '../../../src/retrieval/summarize/classify.ts';
import { openSummarizer } from '../../../src/retrieval/summarize/index.ts';
import { LOCAL, QUESTION, retrieverOver } from '../../agent/helpers.ts';
import { ScriptedPolicy } from '../../agent/scripted-policy.ts';
import { tokenizer } from '../../agent/tokenizer.ts';

/** A policy that searches for what it should work out, which UR²'s fallback penalty is about. */

const COMPARED: Question = {
  ...QUESTION,
  id: 'q2',
  text: 'Who was born earlier, Victor Kerlund or Maria Cordine?',
  answers: ['Victor Kerlund'],
  type: 'comparison',
};
const THOUGHT = '<think> both births</think>';
const SEARCH = `<search> birth of Victor Kerlund</search>`;
const HIM = '<think> him</think>';
const ANSWER = '<short_answer> \\boxed{ Victor Kerlund }</short_answer>';

const asked = (main: string[]): Promise<Rollout> =>
  runRollout(
    {
      policy: new ScriptedPolicy({ main }, 4),
      retriever: retrieverOver(LOCAL),
      router: createRouter(),
      now: Date.now,
      summarizer: openSummarizer({ kind: 'extractive' }),
    },
    {
      question: COMPARED,
      recipe: getRecipe('ur2'),
      seed: 7,
      rolloutId: 'r',
      runId: 'run',
      groupId: 'g',
      step: 0,
    },
  );

const idsOf = ({ segments }: Rollout): number[] => segments.flatMap(({ ids }) => ids);
const leaving = () =>
  asked([`${THOUGHT}${SEARCH}`, `${HIM}<search> the earlier of both</search>`, `${HIM}${ANSWER}`]);

it('its trajectory is, token by token, what the loop writes where the last step is searched for', async () => {
  const plain = await asked([`${THOUGHT}${SEARCH}`, `${HIM}${ANSWER}`]);
  const made = asReasoningQuery(plain, tokenizer, readTags(tokenizer));
  const real = await leaving();
  expect(fallbacksOf([real])).toBe(1);
  expect(made && idsOf(made)).toEqual(idsOf(real));
  // The query and what follows are learned, what the environment wrote is not; what is before is known.
  const maskOf = (rollout: Rollout): number[] => [
    ...(usableDemonstrations([rollout], { onlyCorrect: true, maxTokens: 4096 })[0]?.mask ?? []),
  ];
  const last = real.segments.findLastIndex(({ role }) => role === 'search');
  const before = real.segments.slice(0, last).flatMap(({ ids }) => ids).length;
  expect(made && maskOf(made)).toEqual(maskOf(real).map((bit, i) => (i < before ? 0 : bit)));
  expect(maskOf(real)[before]).toBe(1);
});

it('tells a query for reasoning, and the penalty falls on it', async () => {
  const [plain, real] = [await asked([`${THOUGHT}${SEARCH}`, `${HIM}${ANSWER}`]), await leaving()];
  expect([leavesReasoning(plain), leavesReasoning(real)]).toEqual([false, true]);
  const reward = (rollout: Rollout) => totalReward(scoreRollout(rollout, 'ur2-stage-2', {}));
  // (5): 2 for the answer, 1 for the form, −0.5 the fallback.
  expect([reward(plain), reward(real)]).toEqual([3, 2.5]);
});

it('gives no trajectory of a rollout that did not search', async () => {
  const made = await asked([`${HIM}${ANSWER}`]);
  expect(asReasoningQuery(made, tokenizer, readTags(tokenizer))).toBeNull();
});

it.each([
  ['Which year is later, 1989 or 1968?', 'the later of both'],
  ['How many years lie between the births of Ada Mox and Ben Lor?', 'the difference of both'],
  ['How many people live in Falpolis and Farbury together?', 'the sum of both'],
])('asks what is to be worked out: %s', (text, query) => {
  expect(reasoningQuery({ text })).toBe(query);
  expect(classifyQuery(query).kind).toBe('reasoning');
});

it('is made with comparisons and computations that may be searched for', () => {
  const questions = [
    COMPARED,
    QUESTION,
    { ...COMPARED, id: 'choice', options: ['A', 'B'] },
    { ...COMPARED, id: 'closed', mayRetrieve: false },
  ];
  const drawn = warmStartQuestions(questions, { seed: 3, start: 'reasoning-queries' });
  expect(drawn.map(({ id }) => id)).toEqual(['q2']);
});
