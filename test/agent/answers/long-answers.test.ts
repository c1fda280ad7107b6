import { describe, expect, it } from 'vitest';
import { eventsOf, QUESTION, run, stopReason } from '../helpers.ts';
import { LOOP, base } from '../loop-script.ts';

/** Questions that want a long answer: forced in that form, scored beside their gold summary. */

const SUMMARY = ['Old Wolf was written by Victor Kerlund.', 'Victor Kerlund was born in Borfield.'];
const question = { ...QUESTION, type: 'summary' as const, summary: SUMMARY };
const PROSE = ' Old Wolf was written by Victor Kerlund. \\boxed{ Borfield }</long_answer>';

describe('a long answer', () => {
  it('is opened as one where it is forced: the policy writes prose, then its own box', async () => {
    const overrides = { ...base, retrieval: { maxSearches: 1 } };
    const { rollout } = await run({ main: [...LOOP.slice(0, 2), PROSE] }, { question, overrides });
    expect(stopReason(rollout)).toBe('max-searches');
    expect(rollout.answer).toBe('Borfield');
    expect(eventsOf(rollout, 'answer')[0]).toMatchObject({ form: 'long', by: 'forced' });
    const opened = rollout.segments.filter(({ role }) => role === 'answer');
    expect(opened.map(({ source }) => source)).toEqual(['environment', 'policy']);
    expect(opened[0]?.text).toBe('<long_answer>');
  });

  it('of a question that wants a short one opens the box', async () => {
    const overrides = { ...base, retrieval: { maxSearches: 1 } };
    const main = [...LOOP.slice(0, 2), ' Borfield }</short_answer>'];
    const { rollout } = await run({ main }, { overrides });
    expect(eventsOf(rollout, 'answer')[0]).toMatchObject({ form: 'short', by: 'forced' });
  });

  it('is measured by ROUGE-L and by support; a short question has neither figure', async () => {
    const overrides = { ...base, retrieval: { maxSearches: 1 } };
    const { rollout } = await run({ main: [...LOOP.slice(0, 2), PROSE] }, { question, overrides });
    // Seven of the gold's thirteen words, all of what was written: P 1, R 7/13, F1 14/20.
    expect(rollout.metrics?.rouge_l).toBeCloseTo(0.7, 12);
    expect(rollout.metrics?.supported).toBe(1);
    const plain = await run({ main: LOOP }, { overrides: base });
    expect(plain.rollout.metrics).not.toHaveProperty('rouge_l');
  });

  it('is written by the policy where STIE ends the reasoning', async () => {
    const probes = [[{ text: ' Borfield }</short_answer>', logprob: -0.000001 }]];
    const overrides = { background: { mode: 'off' as const }, stie: { candidates: 1 } };
    const main = [LOOP[0] ?? '', PROSE];
    const { rollout } = await run(
      { main, probes },
      { question, overrides, recipe: 'kunlun-baize' },
    );
    expect(stopReason(rollout)).toBe('stie-confidence');
    expect(eventsOf(rollout, 'answer')[0]).toMatchObject({ form: 'long', text: 'Borfield' });
  });
});
