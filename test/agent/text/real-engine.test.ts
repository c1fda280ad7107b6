import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readTags } from '../../../src/agent/transcript/tags.ts';
import { getRecipe, RECIPES } from '../../../src/systems/index.ts';
import type { SettingsOverride } from '../../../src/recipes/parts/settings.ts';
import { createPolicy, loadWeights } from '../../../src/policy/open/load.ts';
import type { Policy } from '../../../src/policy/policy.ts';
import { eventsOf } from '../helpers.ts';
import { runText } from './helpers.ts';
import { byteTokenizer } from './tokenizers.ts';

// Compiling kernels is quick, but not on a machine that does much else.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/**
 * A real checkpoint with random weights and one token a byte, without the protocol's tags: it writes
 * noise, with halves of characters in it. Positions are rotary, so its context may be longer.
 */
const fixture = new URL('../../fixtures/qwen3-tiny/', import.meta.url);

let policy: Policy;
beforeAll(async () => {
  const weights = await loadWeights((name) => readFile(new URL(name, fixture)));
  const config = { ...weights.config, maxPositions: 4096 };
  policy = await createPolicy(
    { ...weights, config },
    byteTokenizer,
    { id: 'tiny', revision: '0', dtype: 'f32' },
    { device: 'wasm', maxSlots: 4 },
  );
});
afterAll(() => policy.dispose());

const SHORT: SettingsOverride = {
  budgets: { tokens: 30, stepTokens: 20, answerTokens: 12 },
  retrieval: { passageTokens: 20 },
  stie: { candidates: 2, probeTokens: 4 },
};

describe('an untrained checkpoint whose tokenizer has no tags', () => {
  it.each(RECIPES.map((recipe) => recipe.id))('%s comes to its end', async (recipe) => {
    const rollout = await runText({ policy, recipe, overrides: SHORT });
    expect(eventsOf(rollout, 'error').filter((event) => event.what !== 'malformed')).toEqual([]);
    const written = rollout.segments.filter((segment) => segment.mask === 1);
    // One that votes writes nothing in the record's own context.
    expect(written.length + eventsOf(rollout, 'aside').length).toBeGreaterThan(0);
    for (const segment of written) expect(segment.logprobs).toHaveLength(segment.ids.length);
    const { text } = rollout.segments.at(-1) ?? { text: '' };
    expect(rollout.events.at(-1)?.kind).toBe('stop');
    const { dialect } = getRecipe(recipe).settings;
    const closing = byteTokenizer.decode(
      readTags(byteTokenizer, [], dialect).ids('</short_answer>'),
    );
    // The closing tag of the answer, another tag by chance, or a token that ends the text.
    if (closing.startsWith('<')) expect(text).toMatch(/<[^<>]+>$/);
    else if (closing !== '') expect(text.endsWith(closing) || /<[^<>]+>$/.test(text)).toBe(true);
  });

  it('the same seed gives the same rollout', async () => {
    const ids = async (seed: number): Promise<number[]> => {
      const rollout = await runText({ policy, overrides: SHORT, seed });
      return rollout.segments.flatMap((segment) => segment.ids);
    };
    expect(await ids(3)).toEqual(await ids(3));
    expect(await ids(3)).not.toEqual(await ids(4));
  });

  it('says when its context has no room for the instruction', async () => {
    const small: Policy = {
      info: { ...policy.info, maxContext: 256 },
      tokenizer: policy.tokenizer,
      open: (seed) => policy.open(seed),
      dispose: () => undefined,
    };
    const rollout = await runText({ policy: small, overrides: SHORT });
    expect(eventsOf(rollout, 'error')[0]?.message).toMatch(
      /context of 256 tokens has no room for the instruction of \d+ tokens/,
    );
  });
});
