import { beforeEach, describe, expect, it } from 'vitest';
import type { Question } from '../../../../src/records/records.ts';
import type { Rollout } from '../../../../src/records/rollout.ts';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import { ask } from '../../../../src/ui/ask/store/actions.ts';
import { formatAddress, parseAddress, placeOf } from '../../../../src/ui/ask/store/permalink.ts';
import { isRunning, useAsk } from '../../../../src/ui/ask/store/ask-store.ts';
import { showRollouts } from '../../../../src/ui/ask/store/training-step.ts';
import { openLinked } from '../../../../src/ui/ask/siblings/open-linked.ts';
import { emptyRollout } from '../../../fixtures/rollouts.ts';
import { runRecord } from '../../../fixtures/train-runs.ts';
import { connectFake, deferred, stubPage, type Answers } from '../../lab/fake-lab.ts';

const rollout = (id: string, groupId: string, reward: number): Rollout => ({
  ...emptyRollout(id),
  groupId,
  reward,
  recipe: { id: 'search', version: '1', settings: {} },
});

const kept = [rollout('a', 'g1', 0), rollout('b', 'g2', 1), rollout('c', 'g1', 1)];
const of = { runId: 'run-a', step: 3, group: 'g1' };
const source = { ...of, name: 'mine' };
const from = { ...source, run: runRecord('run-a') };

const full: Question = { id: 'q', text: 'Where?', answers: ['Borfield'], supporting: [], hops: 2 };

const trained = (rest: Partial<Answers['train']> = {}): Answers => ({
  ask: { question: () => Promise.resolve(full) },
  train: {
    runs: () => Promise.resolve([runRecord('run-a', { name: 'mine' })]),
    rollouts: () => Promise.resolve(kept),
    ...rest,
  },
});

const run = () => useAsk.getState();
const address = () => useAsk.getState().address;

/** Opens an address of rollouts of a step. */
const open = async (search = '?of=run-a&at=3&group=g1'): Promise<void> => {
  useAsk.setState({ address: parseAddress(search).address });
  const named = address().of;
  if (named) await openLinked(named);
};

beforeEach(() => {
  stubPage();
  useAsk.setState(useAsk.getInitialState(), true);
});

describe('an address of rollouts of a training step', () => {
  it('shows the group that it names, best first, as rollouts that ended', async () => {
    const fake = connectFake(trained());
    await open('?of=run-a&at=3&group=g1&rollout=2&step=1');
    expect(fake.callsOf('train.rollouts')).toEqual([['run-a', 3]]);
    expect(run().table.order).toEqual(['c', 'a']);
    expect(run().source).toEqual({ ...source, setup: BUILT_IN_SETUP });
    expect(isRunning(run().run)).toBe(false);
    expect(run().question).toEqual(full);
    expect(address()).toMatchObject({ of, rollout: 1, step: 0 });
    expect(useAsk.getState().linkedStep).toEqual({ reading: false, problem: null });
  });

  it('of a held-out question is read among those of its score', async () => {
    const held = [{ ...rollout('h', 'run-a-held-out-0-1', 0), step: 0 }];
    const fake = connectFake(
      trained({ rollouts: (_, __, of) => Promise.resolve(of === 'held-out' ? held : kept) }),
    );
    await open('?of=run-a&at=0&group=run-a-held-out-0-1');
    expect(fake.callsOf('train.rollouts')).toEqual([['run-a', 0, 'held-out']]);
    expect(run().table.order).toEqual(['h']);
    expect(useAsk.getState().linkedStep).toEqual({ reading: false, problem: null });
  });

  it.each<[string, Partial<Answers['train']>, RegExp]>([
    [
      'a run of another browser',
      { runs: () => Promise.resolve([]) },
      /\(run-a\) is not in this browser\. Open the link in the browser/,
    ],
    [
      'rollouts that were deleted',
      { rollouts: () => Promise.resolve([]) },
      /step 3 of “mine” are no longer stored: they were deleted/,
    ],
    [
      'a group that is not among them',
      { rollouts: () => Promise.resolve(kept.slice(1, 2)) },
      /are no longer stored/,
    ],
    [
      'a read that fails',
      { rollouts: () => Promise.reject(new Error('disk')) },
      /could not be read: disk$/,
    ],
  ])('says why for %s', async (_, train, words) => {
    connectFake(trained(train));
    await open();
    expect(useAsk.getState().linkedStep.reading).toBe(false);
    expect(useAsk.getState().linkedStep.problem).toMatch(words);
    expect(run().table.order).toEqual([]);
  });

  it('does not come over what was asked while it was read', async () => {
    for (const answer of ['shown', 'failed']) {
      const rollouts = deferred<Rollout[]>();
      connectFake(trained({ rollouts: () => rollouts.promise }));
      const reading = open();
      expect(useAsk.getState().linkedStep.reading).toBe(true);
      ask({ kind: 'world', id: 'q2' });
      if (answer === 'shown') rollouts.resolve(kept);
      else rollouts.reject(new Error('disk'));
      await reading;
      expect(useAsk.getState().linkedStep).toEqual({ reading: false, problem: null });
      expect(run().table.order).toEqual([]);
      expect(placeOf(address())).toBe('question q2');
    }
  });
});

describe('rollouts that are opened from a step', () => {
  it('are shown with the chosen one focused, at an address that opens them again', async () => {
    connectFake(trained());
    const went: string[] = [];
    useAsk.setState({ playing: true, pinned: true });
    await showRollouts(kept.toReversed(), from, 1, (path) => went.push(path));
    expect(went).toEqual(['/ask']);
    expect(address()).toMatchObject({ of, rollout: 1, step: null, run: false });
    expect(useAsk.getState()).toMatchObject({ playing: false, pinned: false, selection: null });
    expect(formatAddress(address())).toBe('?of=run-a&at=3&group=g1&rollout=2');
    expect(run().request?.settings.recipe).toBe('search');
  });

  it('keep what they say of their question where the world is not loaded', async () => {
    connectFake({ ...trained(), ask: { question: () => Promise.reject(new Error('no world')) } });
    await showRollouts(kept.slice(0, 1), from, 0, () => undefined);
    expect(run().question).toEqual(kept[0]?.question);
  });

  it('are not given a gold chain that comes after they were left', async () => {
    connectFake({
      ...trained(),
      ask: {
        question: () => {
          run().clear();
          return Promise.resolve(full);
        },
      },
    });
    await showRollouts(kept.slice(0, 1), from, 0, () => undefined);
    expect(run().question).toBeNull();
  });

  it('end a run that would mix with them', async () => {
    const fake = connectFake(trained());
    useAsk.setState({
      run: { runId: 'r', status: 'running', tokens: 0, tokensPerSecond: 0, failure: null },
    });
    await showRollouts(kept, from, 0, () => undefined);
    expect(fake.callsOf('ask.cancel')).toEqual([[]]);
    expect(isRunning(run().run)).toBe(false);
  });

  it('are nothing where there are none', async () => {
    const fake = connectFake(trained());
    const went: string[] = [];
    await showRollouts([], from, 0, (path) => went.push(path));
    expect([went, fake.callsOf('ask.cancel'), run().source]).toEqual([[], [], null]);
  });
});
