import { afterEach, expect, test } from 'vitest';
import { worksHere } from '../../../src/ui/shell/ask-before-leaving.ts';
import { useCollections } from '../../../src/ui/corpus/store/collections-store.ts';
import { useEvaluate } from '../../../src/ui/evaluate/store/evaluate-store.ts';
import { useRollouts } from '../../../src/ui/rollouts/store/rollouts-store.ts';
import { useTrain } from '../../../src/ui/train/store/train-store.ts';

afterEach(() => {
  useTrain.setState(useTrain.getInitialState());
  useEvaluate.setState(useEvaluate.getInitialState());
  useCollections.setState(useCollections.getInitialState());
  useRollouts.setState(useRollouts.getInitialState());
});

type Status = 'running' | 'paused' | 'finished';

const trains = (status: Status, here: string | null): void =>
  useTrain.setState({ here, runs: [{ id: 'a', status, deletedAt: null } as never] });
const evaluates = (status: Status, here: string | null): void =>
  useEvaluate.setState({ here, evaluations: [{ id: 'a', status, deletedAt: null } as never] });

test('a page at rest lets its visitor go', () => expect(worksHere()).toBe(false));

test.each([
  ['training', trains],
  ['evaluation', evaluates],
] as const)('%s: only what runs, and runs in this tab, would end with it', (_, set) => {
  set('running', 'a');
  expect(worksHere()).toBe(true);
  set('running', null);
  expect(worksHere()).toBe(false);
  set('running', 'b');
  expect(worksHere()).toBe(false);
  set('paused', 'a');
  expect(worksHere()).toBe(false);
  set('finished', 'a');
  expect(worksHere()).toBe(false);
});

test('so would an import, of passages, of rollouts that are read or wait, and of a cluster’s folder', () => {
  useCollections.setState({ job: { kind: 'import' } as never });
  expect(worksHere()).toBe(true);
  useCollections.setState({ job: null });
  for (const [status, asks] of [
    ['waiting', true],
    ['reading', true],
    ['failed', false],
  ] as const) {
    useRollouts.setState({ jobs: [{ status } as never] });
    expect(worksHere()).toBe(asks);
  }
  useRollouts.setState({ jobs: [] });
  useTrain.setState({
    adopting: {
      ...useTrain.getState().adopting,
      reading: { name: 'run', done: 0, total: 3, cancelling: false },
    },
  });
  expect(worksHere()).toBe(true);
});
