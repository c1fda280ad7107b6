import { expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import type { TrainDeps } from '../../../src/learn/rl/contracts.ts';
import { retrieverOver } from '../../agent/helpers.ts';
import { ScriptedPolicy } from '../../agent/scripted-policy.ts';
import { question, settingsOf, stopAfter, train } from '../rl/scripted-run.ts';

/** A run whose start is made: what it does before its first step, and with which policy it then begins. */

const ANSWERS = ['<think> t</think><short_answer> \\boxed{ Borfield }</short_answer>'];
const SEARCHES = ['<think> t</think><search> where</search>', ...ANSWERS];

const startQuestions = Array.from({ length: 8 }, (_, i) => ({ ...question, id: `q${i}` }));

/** A policy that guesses where it is asked to, and searches at every rollout until its adapter was moved so often; then at each fourth. */
const learningNotTo = (moves: number) => {
  const { info, tokenizer } = new ScriptedPolicy({ main: [] });
  const carried: number[][] = [];
  let opened = 0;
  const moved = (): number => new Set(carried.map((adapter) => adapter.join())).size - 1;
  const agent: TrainDeps['agent'] = {
    policy: {
      info,
      tokenizer,
      open: () => {
        const guesses = opened < startQuestions.length;
        const searches = !guesses && (moved() < moves || opened % 4 === 0);
        opened++;
        return new ScriptedPolicy({ main: searches ? SEARCHES : ANSWERS }).open();
      },
      setAdapter: (adapter) => {
        carried.push([...(adapter?.flat ?? [])]);
        return Promise.resolve();
      },
      dispose: () => undefined,
    },
    retriever: retrieverOver(),
    router: createRouter(),
    now: () => 0,
  };
  return { agent, carried };
};

const settings = settingsOf({
  steps: 1,
  start: 'not-searching',
  heldOut: { questions: 0, every: 1, temperature: 0 },
});

it('is learned until few of its rollouts search, told of the run, and stored before the first step', async () => {
  const { agent, carried } = learningNotTo(3);
  const told: string[] = [];
  const {
    end,
    told: phases,
    saved,
    state,
    steps,
  } = await train(settings, {
    deps: { agent, startQuestions },
    hooks: { onNotice: (line, of) => void told.push(`${of}: ${line}`) },
  });
  expect(end).toBe('finished');
  // Two updates at once, three times; then 2 of 8 still search.
  expect(told).toEqual([
    'before: Handicapped start: taught to answer without searching (6 updates on 8 guesses). 2 of 8 rollouts search now (8 before).',
  ]);
  const made = phases.filter((line) => line.startsWith('make-start'));
  expect(made.at(-1)).toBe('make-start 1: 6/24');
  expect(phases.indexOf(made.at(-1) ?? '')).toBeLessThan(
    phases.findIndex((line) => line.startsWith('rollouts')),
  );
  expect(saved).toEqual([0, 1]);
  expect(steps).toHaveLength(1);
  expect(state.startMade).toBe(true);
  // The rollouts of the step are of that policy, not of the one available.
  expect(carried.at(-2)).not.toEqual(carried[0]);
  expect(carried.at(-2)).toEqual(carried.at(-3));
});

it('is not made again where the run goes on', async () => {
  const first = learningNotTo(3);
  const begun = await train(
    { ...settings, steps: 2 },
    { deps: { agent: first.agent, startQuestions }, hooks: { shouldStop: stopAfter(40) } },
  );
  expect(begun.state.startMade).toBe(true);
  const again = learningNotTo(3);
  const rest = await train(
    { ...settings, steps: 3 },
    { state: begun.state, deps: { agent: again.agent, startQuestions } },
  );
  expect(rest.told.some((line) => line.startsWith('make-start'))).toBe(false);
  expect(rest.steps.map(({ step }) => step)).toEqual([begun.state.step + 1]);
});

it('says what is missing where there is no question to make it with', async () => {
  const { agent } = learningNotTo(3);
  await expect(train(settings, { deps: { agent, startQuestions: [] } })).rejects.toThrow(
    'start: there are no training questions',
  );
});
