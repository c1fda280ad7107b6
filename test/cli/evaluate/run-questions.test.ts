import { expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import { runQuestions } from '../../../src/cli/evaluate/run-questions.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import { QUESTION, retrieverOver } from '../../agent/helpers.ts';
import { ScriptedPolicy } from '../../agent/scripted-policy.ts';

/** Questions that are answered one by one, of which each is kept before the run is over. */

it('hands over each question’s rollouts when it is answered, so that a run that is cut keeps them', async () => {
  const policy = new ScriptedPolicy({ main: [' Borfield } </short_answer>'] });
  const questions = ['a', 'b', 'c'].map((id) => ({ ...QUESTION, id }));
  const cut = new AbortController();
  const kept: string[] = [];
  const run = runQuestions(
    { deps: { policy, retriever: retrieverOver(), router: createRouter(), now: Date.now } },
    questions,
    {
      recipe: getRecipe('naive-rag'),
      overrides: {},
      group: 1,
      seed: 0,
      atOnce: 1,
      signal: cut.signal,
      onRollouts: (rollouts) => {
        kept.push(...rollouts.map(({ question }) => question.id));
        if (kept.length === 2) cut.abort(new Error('cut'));
      },
    },
  );
  await expect(run).rejects.toThrow('cut');
  expect(kept).toEqual(['a', 'b']);
});
