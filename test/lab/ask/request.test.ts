import { describe, expect, it } from 'vitest';
import { withOverrides } from '../../../src/recipes/parts/settings.ts';
import { describeFailure, MissingFile, WorkerLost } from '../../../src/lab/contract/failures.ts';
import { createRateMeter } from '../../../src/lab/workers/rate-meter.ts';
import { recipeFor, typedQuestion } from '../../../src/lab/ask/request.ts';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import { DEFAULT_SETTINGS, RECIPE_IDS } from '../../../src/lab/contract/settings.ts';

describe('what the user set, as the agent takes it', () => {
  it('leaves a recipe as it is where nothing was set', () => {
    for (const recipe of RECIPE_IDS) {
      const { recipe: found, overrides } = recipeFor(
        { ...DEFAULT_SETTINGS, recipe },
        BUILT_IN_SETUP,
      );
      expect(withOverrides(found.settings, overrides)).toEqual(found.settings);
    }
  });

  it('changes exactly the mechanisms that were set', () => {
    const { recipe, overrides } = recipeFor(
      {
        ...DEFAULT_SETTINGS,
        temperature: 0.5,
        mechanisms: {
          background: 'off',
          stie: 'paper',
          router: 'always-web',
          reward: 'measured',
          k: 5,
        },
      },
      BUILT_IN_SETUP,
    );
    const before = recipe.settings;
    expect(withOverrides(before, overrides)).toEqual({
      ...before,
      sampling: { ...before.sampling, temperature: 0.5 },
      background: { ...before.background, mode: 'off' },
      stie: { ...before.stie, mode: 'paper' },
      retrieval: { ...before.retrieval, source: 'web', k: 5 },
      nlr: { ...before.nlr, reward: 'measured' },
    });
  });

  it('lets retrieval be summarized where a summarizer was chosen', () => {
    const setup = { ...BUILT_IN_SETUP, summarizer: { kind: 'extractive' as const } };
    const { recipe, overrides } = recipeFor(DEFAULT_SETTINGS, setup);
    expect(withOverrides(recipe.settings, overrides).retrieval).toEqual({
      ...recipe.settings.retrieval,
      summarize: 'on',
    });
  });

  it('searches the local source alone where the setup says so and the run names none', () => {
    const setup = { ...BUILT_IN_SETUP, source: 'local' as const };
    for (const id of RECIPE_IDS) {
      const { recipe, overrides } = recipeFor({ ...DEFAULT_SETTINGS, recipe: id }, setup);
      const { retrieval, background } = withOverrides(recipe.settings, overrides);
      expect([retrieval.source, background.source]).toEqual(['local', 'local']);
      expect(retrieval.honourTags).toBe(false);
      expect(background.mode).toBe(recipe.settings.background.mode);
    }
  });

  it.each([
    ['both', 'both', true],
    ['router', 'router', true],
    ['always-web', 'web', true],
    ['always-local', 'local', false],
  ] as const)(
    'searches where the run says, %s, and takes the background from where the setup says',
    (router, source, honourTags) => {
      const setup = { ...BUILT_IN_SETUP, source: 'local' as const };
      const mechanisms = { router, background: 'shown' } as const;
      const { recipe, overrides } = recipeFor({ ...DEFAULT_SETTINGS, mechanisms }, setup);
      const named = withOverrides(recipe.settings, overrides);
      expect(named.retrieval).toEqual({ ...recipe.settings.retrieval, source, honourTags });
      const { background } = recipe.settings;
      expect(named.background).toEqual({ ...background, mode: 'shown', source: 'local' });
    },
  );

  it('asks a typed question without gold', () => {
    expect(typedQuestion('  Who? ')).toEqual({
      id: 'typed',
      text: 'Who?',
      answers: [],
      supporting: [],
    });
  });
});

describe('failures as text', () => {
  it('says what happened and what to do, and keeps the details', () => {
    expect(describeFailure(new MissingFile('policy/model.safetensors', 'HTTP 404'))).toMatchObject({
      kind: 'missing',
      message:
        'The file policy/model.safetensors could not be fetched (HTTP 404). Check that the file is being served, then load again.',
    });
    expect(describeFailure(new WorkerLost('policy', 'it ended')).kind).toBe('lost');
    expect(describeFailure('boom')).toEqual({ kind: 'failed', message: 'boom', detail: '' });
  });

  it('knows an error that crossed a worker boundary by its name', () => {
    const crossed = Object.assign(new Error('x could not be fetched (HTTP 404)'), {
      name: 'MissingFile',
    });
    expect(describeFailure(crossed).kind).toBe('missing');
  });
});

describe('the rate meter', () => {
  it('counts tokens per second over the last two seconds', () => {
    let now = 0;
    const meter = createRateMeter(() => now);
    meter.add(100);
    now = 1000;
    expect(meter.perSecond()).toBe(100);
    now = 2500;
    meter.add(50);
    expect(meter.perSecond()).toBe(25);
    expect(meter.total).toBe(150);
  });
});
