import { describe, expect, it } from 'vitest';
import type { RolloutUpdate } from '../../src/records/updates.ts';
import { createRouter } from '../../src/agent/router/router.ts';
import { runRollout } from '../../src/agent/run.ts';
import type { GenerateOptions, PolicyInfo, PolicySession } from '../../src/policy/policy.ts';
import { getRecipe } from '../../src/systems/index.ts';
import type { SettingsOverride } from '../../src/recipes/parts/settings.ts';
import { QUESTION, retrieverOver } from './helpers.ts';
import { ScriptedPolicy } from './scripted-policy.ts';

/** The record says which distribution its log-probabilities are of, from its first event on. */

const SCRIPT = {
  main: ['<think> done .</think><short_answer> \\boxed{ Borfield }</short_answer>'],
};

async function recordOf(
  of: PolicyInfo['logprobsOf'],
  sampling: NonNullable<SettingsOverride['sampling']>,
) {
  const policy = new ScriptedPolicy(SCRIPT);
  const told = Object.assign(policy, { info: { ...policy.info, ...(of && { logprobsOf: of }) } });
  const updates: RolloutUpdate[] = [];
  const rollout = await runRollout(
    { policy: told, retriever: retrieverOver(), router: createRouter(), now: Date.now },
    {
      question: QUESTION,
      recipe: getRecipe('search'),
      overrides: { sampling },
      seed: 7,
      rolloutId: 'r',
      runId: 'run',
      groupId: 'g',
      step: 0,
    },
    (update) => updates.push(update),
  );
  const [first] = updates;
  const begun = first?.type === 'started' ? first.rollout.policy.logprobsOf : undefined;
  expect(begun).toEqual(rollout.policy.logprobsOf);
  return begun;
}

describe('the record says that log-probabilities are of', () => {
  it.each([
    ['what was drawn from', undefined, { temperature: 0.7 }, [0.7, 0, 1]],
    ['what was drawn from, truncated', undefined, { topK: 5, topP: 0.9 }, [1, 5, 0.9]],
    ['the model, where nothing was drawn', undefined, { temperature: 0, topP: 0.5 }, [1, 0, 1]],
    [
      'temperature alone, as WebLLM has it',
      'temperature',
      { temperature: 0.7, topP: 0.9 },
      [0.7, 0, 1],
    ],
  ] as const)('%s', async (_, of, sampling, [temperature, topK, topP]) => {
    expect(await recordOf(of, sampling)).toEqual({ temperature, topK, topP });
  });

  it('something that a server does not tell', async () => {
    expect(await recordOf('unknown', { temperature: 1 })).toBeNull();
  });
});

it.each([undefined, 'of a server, to three digits'])(
  'the record says in words what they are, where the policy does: %s',
  async (logprobs) => {
    const policy = new ScriptedPolicy(SCRIPT);
    const told = Object.assign(policy, { info: { ...policy.info, ...(logprobs && { logprobs }) } });
    const { policy: noted } = await runRollout(
      { policy: told, retriever: retrieverOver(), router: createRouter(), now: Date.now },
      {
        question: QUESTION,
        recipe: getRecipe('search'),
        seed: 7,
        rolloutId: 'r',
        runId: 'run',
        groupId: 'g',
        step: 0,
      },
    );
    expect(noted.logprobs).toBe(logprobs);
  },
);

it('STIE’s confidence is the model’s own at any temperature', async () => {
  const asked: GenerateOptions[] = [];
  class Watched extends ScriptedPolicy {
    override async open(): Promise<PolicySession> {
      const session = await super.open();
      const fork = session.fork.bind(session);
      session.fork = async (seed) => {
        const forked = await fork(seed);
        const generate = forked.generate.bind(forked);
        forked.generate = (options) => {
          asked.push(options);
          return generate(options);
        };
        return forked;
      };
      return session;
    }
  }
  const policy = new Watched({
    main: [
      '<think> plan .</think><search> author of Old Wolf</search>',
      '<think> done .</think><short_answer> \\boxed{ Borfield }</short_answer>',
    ],
  });
  await runRollout(
    { policy, retriever: retrieverOver(), router: createRouter(), now: Date.now },
    {
      question: QUESTION,
      recipe: getRecipe('search'),
      overrides: { sampling: { temperature: 0.3 }, stie: { mode: 'corrected', candidates: 1 } },
      seed: 7,
      rolloutId: 'r',
      runId: 'run',
      groupId: 'g',
      step: 0,
    },
  );
  expect(asked.map(({ sampling, scores }) => [sampling.temperature, scores])).toEqual([
    [0.3, 'model'],
  ]);
});
