import { expect, it } from 'vitest';
import { faultOf } from '../../../src/formats/rollouts/own/schema.ts';
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
