import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RunRequest } from '../../../../src/lab/contract/settings.ts';
import type { Rollout } from '../../../../src/records/rollout.ts';
import { useForksOfAddress } from '../../../../src/ui/ask/siblings/replay-forks.ts';
import { openLinked } from '../../../../src/ui/ask/siblings/open-linked.ts';
import { startRun } from '../../../../src/ui/ask/store/actions.ts';
import { formatAddress, parseAddress } from '../../../../src/ui/ask/store/permalink.ts';
import { useAsk } from '../../../../src/ui/ask/store/ask-store.ts';
import { useSession } from '../../../../src/ui/kit/session-store.ts';
import { emptyRollout, hit, passage, retrieve, search } from '../../../fixtures/rollouts.ts';
import { connectFake, settle, stubPage, type Answers } from '../../lab/fake-lab.ts';

/** Forks that an address asks for, made again where it is opened. */

const leave = vi.hoisted(() => [] as (() => void)[]);

// The page that shows Ask runs it once, and ends it when it is left.
vi.mock('react', async (load) => ({
  ...(await load<typeof import('react')>()),
  useEffect: (begin: () => () => void) => void leave.push(begin()),
}));

const HERE = passage('p1', 'Oslo', 'It rains.');

const rollout = (id: string): Rollout => ({
  ...emptyRollout(id),
  events: [search(1), retrieve([hit(HERE)]), search(3)],
});

const open = (search: string): void => {
  useAsk.setState({
    address: parseAddress(search).address,
    playing: false,
    replay: null,
    selection: null,
  });
};

const shown = (): string => formatAddress(useAsk.getState().address);
const state = () => useAsk.getState();

/** The lab gives rollouts and says that the run has ended. */
const give = async (...ids: string[]): Promise<void> => {
  state().apply(
    ids.flatMap((id) => [
      { type: 'started', rolloutId: id, rollout: rollout(id) },
      { type: 'finished', rolloutId: id, rollout: rollout(id) },
    ]),
  );
  const { run, setRun } = state();
  if (run) setRun({ ...run, status: 'done' });
  await settle();
};

const connect = (rest: Answers = {}) => {
  const fake = connectFake({
    ...rest,
    evaluations: { runs: () => Promise.resolve([]), ...rest.evaluations },
  });
  const asked = () => fake.callsOf('ask.run').map(([one]) => one as RunRequest);
  return { fake, forks: () => asked().flatMap(({ fork }) => fork ?? []), asked };
};

beforeEach(() => {
  stubPage();
  useAsk.setState(useAsk.getInitialState(), true);
});

afterEach(() => {
  for (const end of leave.splice(0)) end();
});

it('are made one after another, each once the rollout that it leaves is there; the address stays as it was', async () => {
  const { asked, forks } = connect();
  open('?q=q7&n=2&run=1&fork=2-3-source-web&fork=3-2-temperature-0&rollout=2&step=2');
  const before = shown();
  useForksOfAddress();
  await startRun();
  await settle();
  expect(asked()).toHaveLength(1);
  await give('a', 'b');
  expect(forks()).toMatchObject([
    { of: { id: 'b' }, rolloutId: 'b-fork-1', event: 2, change: 'source', source: 'web' },
  ]);
  // It is the third rollout by then, and can be left itself.
  await give('b-fork-1');
  expect(forks()).toHaveLength(2);
  expect(forks()[1]).toMatchObject({
    of: { id: 'b-fork-1' },
    event: 1,
    change: 'temperature',
    temperature: 0,
  });
  await give('b-fork-1-fork-1');
  expect(asked()).toHaveLength(3);
  expect(state().table.order).toEqual(['a', 'b', 'b-fork-1', 'b-fork-1-fork-1']);
  expect(state().forkProblem).toBeNull();
  expect(shown()).toBe(before);
});

it('are made where the rollouts had ended before Ask was shown again, and not while it is not shown', async () => {
  const { forks } = connect();
  open('?q=q7&run=1&fork=1-3-source-web');
  await startRun();
  await give('a');
  expect(forks()).toEqual([]);
  useForksOfAddress();
  await settle();
  expect(forks()).toMatchObject([{ of: { id: 'a' }, event: 2, change: 'source' }]);
});

it.each([
  ['fork=1-400-draw', 'the link forks rollout 1 at event 400, but it has only 3 events.'],
  ['fork=2-1-draw', 'the link forks rollout 2, but there are only 1.'],
])('that cannot be made (%s) are named and left out, with those behind them', async (fork, why) => {
  const { forks } = connect();
  open(`?q=q7&run=1&${fork}&fork=1-1-gold`);
  useForksOfAddress();
  await startRun();
  await give('a');
  expect(state().forkProblem).toBe(why);
  expect(forks()).toEqual([]);
  expect(shown()).not.toContain('fork=');
  expect(state().table.order).toEqual(['a']);
});

it('are made of a rollout that was read in a file, too', async () => {
  const { parts } = useSession.getInitialState();
  const policy = { id: 'test', revision: '0' };
  useSession.setState({
    parts: { ...parts, policy: { ...parts.policy, status: 'ready' } },
    policy: policy as ReturnType<typeof useSession.getState>['policy'],
  });
  const { fake, forks } = connect({
    ask: { search: () => Promise.resolve({ hits: [hit(HERE)], latencyMs: 1, failures: [] }) },
    rollouts: {
      files: () => Promise.resolve([{ id: 'f', name: 'asked.jsonl' }] as never),
      find: () => Promise.resolve({ row: 7 } as never),
      rollout: () => Promise.resolve(rollout('a') as never),
    },
  });
  open('?file=f&id=a&fork=1-1-source-web');
  const before = shown();
  useForksOfAddress();
  await openLinked({ file: 'f', rollout: 'a' });
  await settle();
  expect(useAsk.getState().linkedStep).toEqual({ reading: false, problem: null });
  expect(fake.callsOf('rollouts.find')).toEqual([['f', 'a']]);
  expect(state().source).toMatchObject({ name: 'asked.jsonl', place: { file: 'f', rollout: 'a' } });
  expect(forks()).toMatchObject([
    { of: { id: 'a' }, event: 0, change: 'source', source: 'web', writer: policy },
  ]);
  expect(shown()).toBe(before);
});

it('of an address whose rollout is not in this browser are not, and it says so', async () => {
  const { forks } = connect({ rollouts: { find: () => Promise.resolve(null) } });
  open('?file=f&id=a&fork=1-1-source-web');
  useForksOfAddress();
  await openLinked({ file: 'f', rollout: 'a' });
  expect(useAsk.getState().linkedStep.problem).toMatch(
    /The rollout in this link is not in this browser/,
  );
  const gone = connect({ evaluations: { rollout: () => Promise.resolve(null) } });
  open('?file=evaluation-e&id=a&fork=1-1-source-web');
  await openLinked({ file: 'evaluation-e', rollout: 'a' });
  expect(gone.fake.callsOf('evaluations.rollout')).toEqual([['a']]);
  expect(useAsk.getState().linkedStep.problem).toMatch(
    /The rollout in this link is not in this browser/,
  );
  expect([...forks(), ...gone.forks()]).toEqual([]);
});
