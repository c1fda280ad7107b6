import { describe, expect, it } from 'vitest';
import type { Rollout } from '../../src/records/rollout.ts';
import { roundsOf } from '../../src/formats/rollouts/rounds.ts';
import { trainedTokens } from '../../src/learn/mask.ts';
import { readFacts } from '../../src/learn/rewards/parts/facts.ts';
import { readDemonstrations } from '../../src/learn/rl/demonstrations.ts';
import { TextPolicy } from '../../src/policy/remote/text-policy.ts';
import { runText } from '../agent/text/helpers.ts';
import { ScriptedTokens } from '../agent/text/scripted-tokens.ts';
import { wordTokenizer } from '../agent/text/tokenizers.ts';
import { ScriptedBackend, tokensOf } from '../policy/remote/pieces/scripted-backend.ts';

/** Rollouts of policies whose tags are text, as rewards and trainer read them. */

const STEPS = [
  '<think> who wrote it</think><search> author of Old Wolf</search>',
  '<think> born where</think><long_answer> \\boxed{ Borfield }</long_answer>',
];

/** `cuts`: texts that are one token each, as `><` is in most vocabularies. */
const fromServer = (cuts: RegExp): Promise<Rollout> => {
  let next = 0;
  const backend = new ScriptedBackend(() =>
    (STEPS[next++] ?? '')
      .split(cuts)
      .flatMap((part) => (cuts.test(part) ? [{ text: part, logprob: -1 }] : tokensOf(part, 3))),
  );
  return runText({ policy: new TextPolicy(backend) });
};

describe('training on a policy whose tags are text', () => {
  it('takes exactly the sampled ids', async () => {
    const sampled = STEPS.map((step) => wordTokenizer.encodeText(step));
    const rollout = await runText({ policy: new ScriptedTokens(wordTokenizer, sampled) });
    const { ids, mask, oldLogprobs } = trainedTokens(rollout);
    expect([...ids]).toEqual(rollout.segments.flatMap((segment) => segment.ids));
    expect([...ids].filter((_, i) => mask[i] === 1)).toEqual(sampled.flat());
    expect([...oldLogprobs].every((value, i) => value === (mask[i] ? -1 : 0))).toBe(true);
  });

  it('never takes pieces of text for token ids', async () => {
    const rollout = await fromServer(/(><)/);
    expect(() => trainedTokens(rollout)).toThrow('pieces of text instead of token ids');
    expect(() => readDemonstrations(JSON.stringify(rollout), 1e6)).toThrow(
      'its ids are pieces of text',
    );
  });
});

describe('rewards of a policy whose tags are text', () => {
  it('see a tag that begins in the token of the tag before', async () => {
    const shared = await fromServer(/(><)/);
    const search = shared.segments.find((segment) => segment.role === 'search');
    expect(search?.text).toBe('search> author of Old Wolf</search>');
    const facts = readFacts(shared);
    expect(facts.opened).toEqual([{ segment: 4, start: 0, end: 7 }]);
    expect(facts).toMatchObject({ form: 'long', prose: '', em: 1, formatValid: true });
    expect(roundsOf(shared)[0]?.query?.text).toBe('author of Old Wolf');
    const apart = readFacts(await fromServer(/(>)/));
    expect(apart.opened).toHaveLength(1);
    expect(apart.prose).toBe('');
  });

  it('see a tag whose token holds more than it', async () => {
    const before = await fromServer(/(k><sea| wrote it<\/)/);
    const search = before.segments.find((segment) => segment.role === 'search');
    expect(search?.text.startsWith('rch>')).toBe(true);
    expect(readFacts(before).opened).toHaveLength(1);
    const query = (text: string): string | undefined =>
      roundsOf({ segments: [{ source: 'policy', role: 'search', text }] })[0]?.query?.text;
    expect(query(' <search> a b</search>\n\n')).toBe('a b');
    expect(query('earch> a b</search>')).toBe('a b');
    expect(query(' a < b')).toBe('a < b');
  });
});
