import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BACKGROUND_MODES,
  DEFAULT_SETTINGS,
  DEVICES,
  RECIPE_IDS,
  REWARD_MODES,
  ROUTER_MODES,
  STIE_MODES,
} from '../../src/lab/contract/settings.ts';
import type { LinkedFork } from '../../src/ui/ask/store/fork-link.ts';
import { METHOD_IDS } from '../../src/retrieval/setup.ts';
import { type AskAddress, formatAddress, parseAddress } from '../../src/ui/ask/store/permalink.ts';

const text = fc
  .string({ minLength: 1, maxLength: 60 })
  .map((s) => s.trim())
  .filter(Boolean);

const policy = fc.oneof(
  fc.record({ k: fc.constant('checkpoint' as const), n: text, h: text }),
  fc.record({ k: fc.constant('webllm' as const), n: text }),
  fc.record({ k: fc.constant('server' as const), n: text, u: fc.constant('http://lab:80/v1') }),
);
const collections = fc.array(fc.record({ n: text, h: text }), { minLength: 1, maxLength: 3 });
const setup = fc.record(
  {
    policy,
    questions: collections,
    local: fc.record({ c: collections, m: fc.constantFrom(...METHOD_IDS), e: text, r: text }),
    web: fc.constant({ kind: 'searxng' as const, url: 'https://lab.org/searx' }),
    summarizer: fc.oneof(fc.constant('extractive' as const), policy),
    judge: policy,
  },
  { requiredKeys: [] },
);

const place = { rollout: fc.integer({ min: 0, max: 60 }), event: fc.integer({ min: 0, max: 500 }) };
const fork: fc.Arbitrary<LinkedFork> = fc.oneof(
  fc.record({ ...place, change: fc.constantFrom('gold', 'admit', 'draw') }),
  fc.record({
    ...place,
    change: fc.constant('source' as const),
    source: fc.constantFrom('local', 'web'),
  }),
  fc.record({
    ...place,
    change: fc.constant('temperature' as const),
    temperature: fc.integer({ min: 0, max: 200 }).map((n) => n / 100),
  }),
  fc.record({
    ...place,
    change: fc.constant('policy' as const),
    policy: fc.record({
      kind: fc.constant('run' as const),
      run: fc.stringMatching(/^[a-z]+-\d{1,3}-[a-z]$/),
      step: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 999 })),
    }),
  }),
);
/** Absent where there are none. */
const withForks = <T extends AskAddress>(of: fc.Arbitrary<T>): fc.Arbitrary<AskAddress> =>
  fc
    .tuple(of, fc.array(fork, { maxLength: 4 }))
    .map(([one, forks]) => (forks.length > 0 ? { ...one, forks } : one));

const asked: fc.Arbitrary<AskAddress> = fc.record({
  of: fc.constant(null),
  setup,
  asked: fc.oneof(
    fc.constant(null),
    fc.record({ kind: fc.constant('world' as const), id: fc.stringMatching(/^[a-z]+-\d{1,4}$/) }),
    fc.record({ kind: fc.constant('typed' as const), text }),
  ),
  settings: fc.record({
    recipe: fc.constantFrom(...RECIPE_IDS),
    rollouts: fc.integer({ min: 1, max: 16 }),
    temperature: fc.integer({ min: 0, max: 200 }).map((n) => n / 100),
    seed: fc.integer({ min: 0, max: 0xffffffff }),
    device: fc.constantFrom(...DEVICES),
    mechanisms: fc.record(
      {
        background: fc.constantFrom(...BACKGROUND_MODES),
        stie: fc.constantFrom(...STIE_MODES),
        router: fc.constantFrom(...ROUTER_MODES),
        reward: fc.constantFrom(...REWARD_MODES),
        k: fc.integer({ min: 1, max: 10 }),
        webDelayMs: fc.integer({ min: 0, max: 5000 }),
      },
      { requiredKeys: [] },
    ),
  }),
  run: fc.boolean(),
  rollout: fc.integer({ min: 0, max: 15 }),
  step: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 60 })),
});

/** The rollouts of a step or of a file; what was asked here before is none of its business. */
const ofStep: fc.Arbitrary<AskAddress> = fc.record({
  of: fc.oneof(
    fc.record({ runId: text, step: fc.integer({ min: 1, max: 10_000 }), group: text }),
    fc.record({ file: text, rollout: text }),
  ),
  asked: fc.constant(null),
  settings: fc.constant(DEFAULT_SETTINGS),
  setup: fc.constant({}),
  run: fc.constant(false),
  rollout: fc.integer({ min: 0, max: 63 }),
  step: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 60 })),
});
const address = withForks(fc.oneof(asked, ofStep));

describe('the permalink', () => {
  it('restores question, recipe, settings, rollout, step and forks', () => {
    fc.assert(
      fc.property(address, (wanted) => {
        const { address: restored, problems } = parseAddress(formatAddress(wanted));
        expect(problems).toEqual([]);
        expect(restored).toEqual(wanted);
      }),
    );
  });

  it('of a training step says nothing of what was asked before it', () => {
    const before = parseAddress('?q=test-2&recipe=search&n=2&t=0.8&seed=77&device=wasm&run=1');
    const of = { runId: 'grpo-1', step: 3, group: 'grpo-1-3-0-1' };
    const text = formatAddress({ ...before.address, of, run: false, rollout: 5 });
    expect(text).toBe('?of=grpo-1&at=3&group=grpo-1-3-0-1&rollout=6');
    expect(parseAddress(text).address).toMatchObject({ of, asked: null, rollout: 5 });
    expect(parseAddress('?of=grpo-1&at=0').problems).toEqual(['of=grpo-1']);
  });

  it('counts rollouts and steps from one, as people do', () => {
    const { address } = parseAddress('?q=test-7&rollout=2&step=5');
    expect(address).toMatchObject({ rollout: 1, step: 4, asked: { kind: 'world', id: 'test-7' } });
  });

  it('leaves what is not allowed at its default and names it', () => {
    const { address, problems } = parseAddress('?n=17&t=hot&stie=maybe&recipe=search&seed=-1');
    expect(address.settings).toEqual({ ...DEFAULT_SETTINGS, recipe: 'search' });
    expect(problems).toEqual(['n=17', 't=hot', 'seed=-1', 'stie=maybe']);
  });

  it('names a setup that it cannot read, and works with what is built in', () => {
    for (const text of [
      '{',
      '{"policy":{"k":"none"}}',
      '{"web":{"kind":"searxng","url":"file:///x"}}',
    ]) {
      const { address, problems } = parseAddress(`?q=a-1&with=${encodeURIComponent(text)}`);
      expect(address.setup).toEqual({});
      expect(problems).toEqual([`with=${text}`]);
    }
  });

  it('opens an empty address as a first visit', () => {
    const { address, problems } = parseAddress('');
    expect(problems).toEqual([]);
    expect(address).toMatchObject({ asked: null, run: false, step: null });
  });
});
