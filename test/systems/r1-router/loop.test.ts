import { describe, expect, it } from 'vitest';
import { scoreRollout, totalReward } from '../../../src/learn/rewards/index.ts';
import type { ChainStep, Question } from '../../../src/records/records.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { contextText, eventsOf, QUESTION, run } from '../../agent/helpers.ts';

const step = (
  query: string,
  object: string,
  title: string,
  source: 'local' | 'web',
): ChainStep => ({
  subject: title,
  relation: 'r',
  object,
  title,
  passageId: title,
  query,
  source,
});
const question: Question = {
  ...QUESTION,
  chain: [
    step('author of Old Wolf', 'Victor Kerlund', 'Old Wolf', 'local'),
    step('birthplace of Victor Kerlund', 'Borfield', 'Victor Kerlund', 'web'),
  ],
};
const search = (query: string, tag = 'search'): string =>
  `<think> t</think><${tag}> ${query}</${tag}>`;
const answer = '<think> t</think><short_answer> \\boxed{ Borfield }</short_answer>';

const stepped = async (groupId: string, wrote: string, rolloutId = 'r'): Promise<Rollout> => {
  const overrides = { loop: 'program', system: { id: 'r1-router' } } as const;
  const { rollout } = await run(
    { main: [wrote, answer] },
    { question, overrides, groupId, rolloutId },
  );
  return rollout;
};
const given = ({ segments }: Rollout): number =>
  segments.filter(({ role, source }) => role === 'search' && source === 'environment').length;

/** Names of groups that draw none, one and two given steps. */
const groups = async (): Promise<string[]> => {
  const found = new Map<number, string>();
  for (let i = 0; i < 40 && found.size < 3; i++) {
    const at = given(await stepped(`g${i}`, answer));
    if (!found.has(at)) found.set(at, `g${i}`);
  }
  return [0, 1, 2].map((at) => found.get(at) ?? `no group of ${at}`);
};

describe('one step of a gold chain', () => {
  it('is behind the steps before it, told by sub-question and sub-answer, the same for all of a group', async () => {
    const [, one = '', both = ''] = await groups();
    const members = await Promise.all(['a', 'b'].map((id) => stepped(one, search('x'), id)));
    expect(members.map(given)).toEqual([1, 1]);
    const text = contextText(await stepped(both, answer));
    expect(text).toContain('author of Old Wolf is Victor Kerlund .');
    expect(text).toContain('birthplace of Victor Kerlund is Borfield .');
    expect(text).not.toContain('1931');
  });

  it('ends with one action, and the policy wrote nothing of what was given', async () => {
    const [, one = ''] = await groups();
    const rollout = await stepped(one, search('birthplace of Victor Kerlund', 'web_search'));
    expect(eventsOf(rollout, 'search')).toHaveLength(1);
    expect(eventsOf(rollout, 'stop')[0]?.detail).toBe('the step is over');
    const trained = rollout.segments.filter(({ mask }) => mask === 1).map(({ text }) => text).join(''); // prettier-ignore
    expect(trained).toBe(search('birthplace of Victor Kerlund', 'web_search'));
  });

  it('earns half for its own sub-question and half for its source; answers where nothing is left to ask', async () => {
    const [none = '', one = '', both = ''] = await groups();
    const earned = async (group: string, wrote: string): Promise<number> =>
      totalReward(scoreRollout(await stepped(group, wrote), 'r1-router-step'));
    const gold = 'birthplace of Victor Kerlund';
    expect(await earned(one, search(gold, 'web_search'))).toBe(1);
    expect(await earned(one, search(gold, 'local_search'))).toBe(0.5);
    // Three of four words of each: F1 0.75.
    expect(await earned(one, search('birthplace of Victor Kray', 'web_search'))).toBe(0.875);
    expect(await earned(one, answer)).toBe(0);
    // A step that was given is not asked for again: F1 of "author of Old Wolf" is 0.25.
    expect(await earned(one, search('author of Old Wolf', 'local_search'))).toBe(0.125);
    expect(await earned(none, search('author of Old Wolf', 'local_search'))).toBe(1);
    expect(await earned(both, answer)).toBe(1);
    expect(await earned(both, search(gold, 'web_search'))).toBe(0);
  });
});
