import { describe, expect, it } from 'vitest';
import {
  DEFAULT_SETTINGS,
  recipeSettingsSchema,
  withOverrides,
} from '../../src/recipes/parts/settings.ts';
import { getRecipe, RECIPES } from '../../src/systems/index.ts';
import { ROUTER_PRIOR } from '../../src/agent/router/router.ts';
import { FEATURE_NAMES } from '../../src/agent/router/features.ts';

describe('recipes', () => {
  it('are these at least, each once and valid', () => {
    const ids = RECIPES.map((recipe) => recipe.id);
    expect(new Set(ids).size).toBe(ids.length);
    const known = [
      'kunlun-baize',
      'search',
      'search-r1',
      'r1-searcher',
      'ur2',
      'ur2-released',
      'search-r1-format',
      'research',
      'zero-search',
      'auto-refine',
      'step-search',
      'deep-researcher',
      'deep-diver',
      'in-forage',
      'beta-grpo',
      're-seek',
      'verl-tool',
      'tool-star',
      'arpo',
      'tree-rpo',
      'rex-rag',
      'ex-search',
      'empirical',
      'r-search',
      's3',
      'arena',
      'memory-r1',
      'interleaved',
      'r1-router',
      'smart-rag',
      'med-r3',
      'simple-rl-zoo',
      'corag',
      'collab-rag',
      'rag-gym',
      'web-thinker',
      'rare',
      'start',
      'agent-distillation',
      'select2reason',
      'dto',
      'cort',
      'cir',
      'after-ctm',
      'ar-bench',
      'compose-rag',
      'naive-rag',
      'naive-generation',
      'chain-of-thought',
      'rewrite-retrieve-read',
      'ircot',
      'iter-retgen',
      'self-ask',
      'rat',
      'search-o1',
      'react',
      'flare',
      'self-rag',
      'sear-chain',
      'instruct-rag',
      'active-rag',
    ];
    expect(ids.filter((id) => known.includes(id))).toEqual(known);
    for (const recipe of RECIPES) {
      expect(recipeSettingsSchema.parse(recipe.settings)).toEqual(recipe.settings);
    }
  });

  it('kunlun-baize holds the constants that the paper gives', () => {
    const { settings } = getRecipe('kunlun-baize');
    expect(settings.sampling.temperature).toBe(1);
    expect(settings.retrieval.maxSearches).toBe(8);
    expect(settings.stie.thresholds).toEqual([0.25, 0.5, 0.75]);
    expect(settings.stie.maxCount).toBe(4);
    expect(settings.stie.mode).toBe('corrected');
    expect(settings.background.mode).toBe('shown-and-used-by-T');
  });

  it('search has none of the mechanisms', () => {
    const { settings } = getRecipe('search');
    expect(settings.background.mode).toBe('off');
    expect(settings.stie.mode).toBe('off');
    expect(settings.retrieval.source).toBe('both');
  });

  it('an unknown id names those that are like it, else some of those that there are', () => {
    const count = RECIPES.length;
    expect(() => getRecipe('ur-2')).toThrow(
      new Error(`unknown recipe "ur-2"; did you mean ur2 or ur2-released? There are ${count}`),
    );
    const [first, second] = RECIPES.map(({ id }) => id);
    expect(() => getRecipe('§')).toThrow(
      `unknown recipe "§"; there are ${count}, such as ${first}, ${second}, `,
    );
  });
});

describe('overrides', () => {
  it('change single fields and leave the rest, and the recipe itself, alone', () => {
    const changed = withOverrides(DEFAULT_SETTINGS, {
      sampling: { temperature: 0.5 },
      stie: { stop: { epsilon: 0.1 } },
    });
    expect(changed.sampling).toEqual({ ...DEFAULT_SETTINGS.sampling, temperature: 0.5 });
    expect(changed.stie.stop).toEqual({ ...DEFAULT_SETTINGS.stie.stop, epsilon: 0.1 });
    expect(DEFAULT_SETTINGS.sampling.temperature).toBe(1);
  });

  it('that are no setting are refused by name', () => {
    expect(() => withOverrides(DEFAULT_SETTINGS, { nlr: { beta1: -1 } })).toThrow(/nlr\.beta1/);
    const unknown = { retrieval: { k: 3, depth: 3 } };
    expect(() => withOverrides(DEFAULT_SETTINGS, unknown)).toThrow(/retrieval.*depth/);
  });
});

it('the router has a weight for every feature', () => {
  expect(Object.keys(ROUTER_PRIOR.weights)).toEqual([...FEATURE_NAMES]);
});
