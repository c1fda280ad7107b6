import { describe, expect, it } from 'vitest';
import { createRouter } from '../../../src/agent/router/router.ts';
import type { AgentDeps } from '../../../src/agent/request.ts';
import { rolloutOverrides } from '../../../src/learn/rl/collect.ts';
import { withChanges } from '../../../src/learn/settings/edit-settings.ts';
import { scoreHeldOut } from '../../../src/learn/rl/held-out.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import { collapseWarning } from '../../../src/learn/router/collapse.ts';
import { createRouterLearner } from '../../../src/learn/router/learner.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import { withOverrides, type RecipeSettings } from '../../../src/recipes/parts/settings.ts';
import { ScriptedPolicy } from '../../agent/scripted-policy.ts';
import { retrieverOver } from '../../agent/helpers.ts';
import { blank, drawn, rolloutOf } from './helpers.ts';

/** As the command line and the form make them: a preset and what the user changes. */
const joint = (...changes: string[]): TrainSettings =>
  withChanges(getTraining('kunlun-baize/dapo'), [
    'recipe=kunlun-baize',
    'router.train=beside',
    ...changes,
  ]);

/** The NLR settings of the rollouts that such a run trains on. */
const nlrOf = (settings: TrainSettings): RecipeSettings['nlr'] =>
  withOverrides(getRecipe(settings.recipe).settings, rolloutOverrides(settings, 1)).nlr;

describe('the router beside the policy', () => {
  it('learns from the measured reward at 0.2/0.8 unless told otherwise, and samples', () => {
    const measured = { reward: 'measured', beta1: 0.2, beta2: 0.8, routing: 'sampled' };
    expect(nlrOf(joint())).toEqual(measured);
    expect(nlrOf(joint('router.train=alone'))).toEqual(measured);
    expect(nlrOf(joint('overrides.nlr.beta1=0.5'))).toEqual({ ...measured, beta1: 0.5 });
    expect(nlrOf(joint('overrides.nlr.reward=paper'))).toMatchObject({ reward: 'paper' });
  });

  it('leaves a run that trains no router as the recipe has it', () => {
    expect(nlrOf(joint('router.train=off'))).toMatchObject({
      reward: 'paper',
      beta1: 0.5,
      beta2: 0.5,
    });
  });
});

describe('the warning of the printed reward', () => {
  const paper = (beta1: number, beta2: number): string[] => [
    'overrides.nlr.reward=paper',
    `overrides.nlr.beta1=${beta1}`,
    `overrides.nlr.beta2=${beta2}`,
  ];

  it('says on which side of 5/6 the router ends', () => {
    // β1 · 0.42 against β2 · 0.35: 0.21 > 0.175; 0.084 < 0.28; 0.35 · 0.42 = 0.42 · 0.35.
    expect(collapseWarning(joint(...paper(0.5, 0.5)))).toContain('1 > 5/6: always local is best');
    expect(collapseWarning(joint(...paper(0.2, 0.8)))).toContain('0.25 < 5/6: always web is best');
    expect(collapseWarning(joint(...paper(0.35, 0.42)))).toContain('neither is preferred');
  });

  it('comes where the printed reward is chosen though the router is not trained', () => {
    const changes = ['router.train=off', ...paper(0.5, 0.5)];
    expect(collapseWarning(joint(...changes))).toContain('always local');
  });

  it('stays away from the measured reward, and from a reward that nobody chose', () => {
    expect(collapseWarning(joint())).toBeNull();
    expect(collapseWarning(joint('router.train=off'))).toBeNull();
    expect(collapseWarning(getTraining('kunlun-baize/dapo'))).toBeNull();
  });
});

describe('routing while training and when evaluated', () => {
  // π(web) = σ(0.4) = 0.60 whatever the state.
  const leaning = createRouter({ weights: { ...blank(), bias: 0.4 } });
  const question = { id: 'q', text: 'Who wrote Old Wolf?', answers: ['A'], supporting: [] };
  const SEARCH = '<think> t</think><search> Borfield</search>';
  const ANSWER = '<think> t</think><short_answer> \\boxed{ A }</short_answer>';

  /** How many of 24 held-out questions went where; each has a seed of its own. */
  async function heldOutRoutes(settings: TrainSettings): Promise<Record<string, number>> {
    const asked: Record<string, number> = {};
    const retriever = retrieverOver();
    const agent: AgentDeps = {
      policy: new ScriptedPolicy({ main: [SEARCH, ANSWER] }),
      router: leaning,
      retriever: {
        search: (source, ...rest) => {
          asked[source] = (asked[source] ?? 0) + 1;
          return retriever.search(source, ...rest);
        },
      },
      now: Date.now,
    };
    const questions = Array.from({ length: 24 }, () => question);
    await scoreHeldOut(settings, agent, questions, { runId: 'r', step: 1 }, () => undefined);
    return asked;
  }

  it('takes the likelier source for held-out questions', async () => {
    const plain = ['overrides.background.mode=off', 'overrides.stie.mode=off'];
    expect(await heldOutRoutes(joint(...plain))).toEqual({ web: 24 });
  });

  it('learns from sampled choices alone', () => {
    const learner = createRouterLearner(joint());
    const call = drawn('web', 1);
    const argmax = { ...call, route: { ...call.route, routing: 'argmax' as const } };
    expect(learner.learn([rolloutOf([argmax])], 1)).toBeNull();
    expect(learner.learn([rolloutOf([call])], 1)?.calls).toBe(1);
    expect(() => createRouterLearner(joint('overrides.nlr.routing=argmax'))).toThrow(
      /\(23\) learns from sampled choices/,
    );
  });
});
