import { beforeAll, expect, it, vi } from 'vitest';
import { createCurriculum } from '../../../src/learn/curriculum/create.ts';
import { loadCurriculum } from '../../../src/learn/curriculum/provided.ts';
import { decodeState, encodeState, type TrainState } from '../../../src/learn/rl/state.ts';
import { TextPolicy } from '../../../src/policy/remote/text-policy.ts';
import { keyOf } from '../../../src/systems/inspo/population.ts';
import { propose } from '../../../src/systems/inspo/propose.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { eventsOf } from '../../agent/helpers.ts';
import { runText, serverOf } from '../../agent/text/helpers.ts';
import {
  openTestWorld,
  tinySettings,
  trainTiny,
  type Trained,
  type World,
} from '../../learn/rl/helpers.ts';

vi.setConfig({ testTimeout: 120_000 });

/** INSPO's instructions in a run, and what a policy that reads text is told and writes. */

const evolving = { population: 3, every: 1, proposals: 2, verify: 2, replay: 4 };
const { curriculum: base } = getTraining('inspo');
const settings = tinySettings({
  recipe: 'inspo',
  curriculum: { ...base, system: { ...base.system!, ...evolving } },
});

let world: World;
beforeAll(async () => {
  world = await openTestWorld();
  await loadCurriculum(settings);
});

const train = (state?: TrainState): Promise<Trained> =>
  trainTiny({
    settings,
    world,
    curriculum: createCurriculum(settings, world),
    ...(state && { state: decodeState(encodeState(state)) }),
  });

interface Kept {
  population: { text: string; blocks: string[]; weight: number | null }[];
  replay: unknown[];
}
const kept = ({ curriculum }: TrainState): Kept => curriculum as unknown as Kept;
const blocksOf = (state: TrainState): string[] =>
  kept(state).population.map(({ blocks }) => blocks.join(' , '));

it('draws an instruction per question, evolves the population, and continues bit for bit', async () => {
  const whole = await train();
  for (const groups of whole.rollouts) {
    const byGroup = new Map<string, Set<string>>();
    for (const { groupId, recipe } of groups) {
      const told = byGroup.get(groupId) ?? new Set<string>();
      byGroup.set(groupId, told.add(JSON.stringify(recipe.settings['blocks'])));
    }
    // The rollouts of a group share one instruction.
    for (const told of byGroup.values()) expect(told.size).toBe(1);
  }
  const [first, , last] = whole.states;
  expect(blocksOf(first!)).toHaveLength(3);
  expect(blocksOf(first!)[0]).toBe('');
  expect(blocksOf(last!)).not.toEqual(blocksOf(first!));
  expect(new Set(blocksOf(last!)).size).toBe(3);
  expect(kept(last!).replay).toHaveLength(4);
  // Proposals begin with the mean reward of their verification.
  expect(kept(last!).population.at(-1)?.weight).toEqual(expect.any(Number));

  const resumed = await train(first);
  expect(resumed.state.adapter).toEqual(whole.state.adapter);
  expect(resumed.state.curriculum).toEqual(whole.state.curriculum);
});

it('a policy that reads text gets the evolved lines after the loop’s own instruction', async () => {
  const answer = '<think> t</think><answer>Borfield</answer>';
  const asked = async (overrides: { system?: { instruction: string } }): Promise<string> => {
    const rollout = await runText({
      policy: new TextPolicy(serverOf([answer])),
      recipe: 'inspo',
      overrides,
    });
    expect(eventsOf(rollout, 'answer')).toHaveLength(1);
    return rollout.segments[0]?.text ?? '';
  };
  const plain = await asked({});
  const told = await asked({ system: { instruction: 'Name who is meant.' } });
  expect(told.trimEnd()).toBe(`${plain.trimEnd()}\n\nName who is meant.`);
});

it('asks the policy for a new instruction, and takes one of the list for what it repeats', async () => {
  const server = serverOf([
    'Search  for one\nfact at a time.',
    'Search for one fact at a time.',
    '',
  ]);
  const found = await propose({
    policy: new TextPolicy(server),
    known: new Set(['']),
    parent: { text: 'Be brief.', blocks: [] },
    episodes: [
      { text: 'Question: a', reward: 0 },
      { text: 'Question: b', reward: 1 },
    ],
    count: 3,
    tokens: 40,
    seed: 1,
  });
  expect(found.map(keyOf)[0]).toBe('Search for one fact at a time.');
  expect(new Set(found.map(keyOf)).size).toBe(3);
  const [{ prefix } = { prefix: '' }] = server.requests;
  expect(prefix).toContain('Instruction: Be brief.');
  expect(prefix.indexOf('Question: a\nReward: 0')).toBeLessThan(
    prefix.indexOf('Question: b\nReward: 1'),
  );
});
