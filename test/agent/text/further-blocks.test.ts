import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/records/records.ts';
import { TextPolicy } from '../../../src/policy/remote/text-policy.ts';
import type { SettingsOverride } from '../../../src/recipes/parts/settings.ts';
import { ScriptedBackend, tokensOf } from '../../policy/remote/pieces/scripted-backend.ts';
import { contextText, eventsOf, faultsOf, QUESTION } from '../helpers.ts';
import { runText } from './helpers.ts';

/** Writes one of these texts a call. */
const policyOf = (steps: readonly string[]): TextPolicy => {
  let next = 0;
  return new TextPolicy(new ScriptedBackend(() => tokensOf(steps[next++] ?? '')));
};

const STEPS = [
  '<plan> author , birth city</plan><search> author of Old Wolf</search>',
  '<judge> yes</judge><refine> Old Wolf is by Victor Kerlund.</refine><think> born where</think><search> Victor Kerlund</search>',
  '<judge> yes</judge><think> done</think><evidence> He was born in Borfield.</evidence><short_answer> \\boxed{ Borfield }</short_answer>',
];
const run = (
  steps: readonly string[],
  overrides: SettingsOverride,
  question: Question = QUESTION,
) => runText({ policy: policyOf(steps), overrides, question });

describe('blocks beside thought, search and answer', () => {
  it('are the policy’s own where the recipe has them, each an event at its place', async () => {
    const rollout = await run(STEPS, { blocks: ['plan', 'judge', 'refine', 'evidence'] });
    expect(faultsOf(rollout)).toEqual([]);
    expect(rollout.answer).toBe('Borfield');
    expect(rollout.metrics?.searches).toBe(2);
    expect(eventsOf(rollout, 'block').map(({ block, text }) => `${block}: ${text}`)).toEqual([
      'plan: author , birth city',
      'judge: yes',
      'refine: Old Wolf is by Victor Kerlund.',
      'judge: yes',
      'evidence: He was born in Borfield.',
    ]);
    for (const { segment } of eventsOf(rollout, 'block'))
      expect(rollout.segments[segment ?? -1]).toMatchObject({ source: 'policy', mask: 1 });
  });

  it('are text of no meaning where the recipe has none', async () => {
    const rollout = await run(STEPS, {});
    expect(eventsOf(rollout, 'block')).toEqual([]);
    expect(faultsOf(rollout)).toContain('text between blocks');
  });

  it('a plan is a thought: what follows it may be a search, an empty beginning may not', async () => {
    const bare = await run([STEPS[0]?.replace(/<plan>.*<\/plan>/, '') ?? '', ...STEPS.slice(1)], {
      blocks: ['plan', 'judge', 'refine', 'evidence'],
    });
    expect(faultsOf(bare)).toEqual(['<search> without a thought before it']);
  });
});

describe('what the environment answers', () => {
  it('computes an expression; its result is no search and is not trained', async () => {
    const rollout = await run(
      [
        '<think> 1976 and 2008</think><compute> 2008 - 1976</compute>',
        '<think> difference is 32</think><compute> eval(1)</compute>',
        '<think> so be it</think><short_answer> \\boxed{ 32 }</short_answer>',
      ],
      { blocks: ['compute'] },
    );
    expect(rollout.answer).toBe('32');
    expect(rollout.metrics?.searches).toBe(0);
    expect(eventsOf(rollout, 'block').map(({ reply }) => reply)).toEqual([
      '32',
      'no result : "eval" is no number or function .',
    ]);
    const results = rollout.segments.filter(({ role }) => role === 'result');
    expect(results.map(({ text }) => text)[0]).toBe('<result> 32</result>');
    expect(results.every(({ mask, source }) => mask === 0 && source === 'environment')).toBe(true);
  });

  it('says who is meant, where the question left it open', async () => {
    const question: Question = {
      ...QUESTION,
      clarification: { ask: 'which Victor', reply: 'Victor Kerlund (born 1954)' },
    };
    const steps = [
      '<ask> which Victor</ask>',
      '<think> so he is meant</think><short_answer> \\boxed{ Borfield }</short_answer>',
    ];
    const meant = await run(steps, { blocks: ['ask'] }, question);
    expect(contextText(meant)).toContain('<reply> Victor Kerlund (born 1954)</reply>');
    const unknown = await run(steps, { blocks: ['ask'] });
    expect(contextText(unknown)).toContain(
      '<reply> nothing more is known about the question .</reply>',
    );
    const repliesWith = async (own: { asks?: number }) => {
      const twice = await run(
        [steps[0] ?? '', ...steps],
        { blocks: ['ask'], system: { id: 'ar-bench', ...own } },
        question,
      );
      return eventsOf(twice, 'block').map(({ reply }) => reply?.slice(0, 7));
    };
    expect(await repliesWith({})).toEqual(['Victor ', 'Victor ']);
    expect(await repliesWith({ asks: 1 })).toEqual(['Victor ', 'nothing']);
  });
});
