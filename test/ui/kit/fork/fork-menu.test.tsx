import { useContext } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../../src/lab/contract/settings.ts';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import type { Rollout } from '../../../../src/records/rollout.ts';
import { WithForks } from '../../../../src/ui/ask/siblings/ForkHere.tsx';
import { adapterChoices } from '../../../../src/ui/ask/siblings/RecordFork.tsx';
import { useAsk } from '../../../../src/ui/ask/store/ask-store.ts';
import { tableOf } from '../../../../src/ui/ask/store/training-step.ts';
import { EventActions } from '../../../../src/ui/kit/events/parts/actions.ts';
import { emptyRollout, hit, passage, retrieve, search } from '../../../fixtures/rollouts.ts';
import { settle } from '../../lab/fake-lab.ts';
import { htmlOf, wordsIn } from '../render.tsx';

/** The opened menu of a fork. */

// What a click would open is open from the start.
vi.mock('react', async (load) => ({
  ...(await load<typeof import('react')>()),
  useState: <T,>(first: T) => [first === false ? true : first, () => undefined],
}));

const rollout: Rollout = {
  ...emptyRollout('a'),
  events: [search(1), retrieve([hit(passage('p', 'Oslo', 'It rains.'))]), search(3)],
};

/** An opened card of its first event. */
const Card = () => useContext(EventActions)?.(rollout, 0) ?? null;

const draw = (): string =>
  htmlOf(
    <WithForks>
      <Card />
    </WithForks>,
    useAsk,
  );

beforeEach(async () => {
  useAsk.setState({
    ...useAsk.getInitialState(),
    table: tableOf([rollout]),
    request: {
      runId: 'r',
      asked: { kind: 'world', id: 'q' },
      settings: DEFAULT_SETTINGS,
      setup: BUILT_IN_SETUP,
    },
  });
  useAsk.setState({
    adapters: [{ id: 'run-a', name: 'mine', recipe: 'search', overrides: {}, steps: [2, 1] }],
  });
  // Its file is asked for when it is first drawn.
  draw();
  await vi.dynamicImportSettled();
  await settle();
});

const options = (html: string): string[] =>
  [...html.matchAll(/<option[^>]*>(.*?)<\/option>/g)].map(([, words = '']) => words);

it('offers every adapter that is kept, and the policy without one on the page', () => {
  const html = draw();
  expect(html).toContain('aria-label="Adapter from here on"');
  expect(options(html)).toEqual(['mine, step 2', 'mine, step 1', 'the model without adapter']);
  expect(wordsIn(html)).toContain('With another adapter');
  // Of a record that is read elsewhere, every adapter.
  expect(adapterChoices(useAsk.getState().adapters)).toEqual([
    { policy: { kind: 'run', run: 'run-a', step: 2 }, name: 'mine, step 2' },
    { policy: { kind: 'run', run: 'run-a', step: 1 }, name: 'mine, step 1' },
  ]);
});

it('says so where no adapter is kept', () => {
  useAsk.setState({ adapters: [] });
  const html = draw();
  expect(html).not.toContain('Adapter from here on');
  expect(wordsIn(html)).toContain('no training run in this browser has an adapter');
});

it('is not there while the rollout is still written', () => {
  useAsk.setState(({ table }) => ({ table: { ...table, finished: {} } }));
  expect(draw()).toBe('');
});
