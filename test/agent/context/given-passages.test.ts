import { expect, it } from 'vitest';
import { faultOf } from '../../../src/formats/rollouts/own-schema.ts';
import { run } from '../helpers.ts';

it.each(['arena', 's3', 'ircot', 'self-ask'])(
  'a rollout of %s, whose first search comes before anything is written, is read again',
  async (recipe) => {
    const main = ['<think> t</think><short_answer> \\boxed{ Borfield }</short_answer>'];
    const { rollout } = await run({ main }, { recipe });
    expect(rollout.events[0]?.kind).toBe('route');
    expect(faultOf(JSON.parse(JSON.stringify(rollout)))).toBeNull();
    // As earlier versions wrote it.
    const events = rollout.events.map((event, i) => (i === 0 ? { ...event, segment: -1 } : event));
    expect(faultOf({ ...rollout, events })).toBeNull();
  },
);

it('gives ARENA its passages as a result, which is what its blocks follow', async () => {
  const main = ['<think> t</think><short_answer> \\boxed{ Borfield }</short_answer>'];
  const { rollout } = await run({ main }, { recipe: 'arena' });
  const roles = rollout.segments.map(({ role }) => role);
  expect(roles.indexOf('result')).toBe(roles.indexOf('question') + 1);
  expect(roles).not.toContain('background');
});

it.each(['s3', 'self-ask'])('keeps those of %s before the question', async (recipe) => {
  const main = ['<think> t</think><short_answer> \\boxed{ Borfield }</short_answer>'];
  const { rollout } = await run({ main }, { recipe });
  const roles = rollout.segments.map(({ role }) => role);
  expect(roles.indexOf('background')).toBeGreaterThan(-1);
  expect(roles.indexOf('background')).toBeLessThan(roles.indexOf('question'));
});
