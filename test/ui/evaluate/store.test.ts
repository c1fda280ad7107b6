import { beforeEach, describe, expect, it } from 'vitest';
import type { EvaluationMessage } from '../../../src/lab/contract/evaluations.ts';
import { duplicateOf } from '../../../src/evaluate/systems/custom.ts';
import { DEFAULT_SPEC } from '../../../src/evaluate/systems/spec.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import {
  evaluateLabUser,
  openEvaluation,
  removeEvaluation,
  restoreEvaluation,
  startEvaluation,
} from '../../../src/ui/evaluate/store/evaluate-actions.ts';
import { importCustoms } from '../../../src/ui/evaluate/store/custom-actions.ts';
import { openEvaluationRollout } from '../../../src/ui/evaluate/store/reading-actions.ts';
import {
  applyEvaluationMessages,
  EMPTY_EVALUATE,
  runningEvaluation,
  useEvaluate,
  visibleEvaluations,
  withRollouts,
} from '../../../src/ui/evaluate/store/evaluate-store.ts';
import {
  evaluatedRollout,
  evaluationRecord,
  evaluationResult,
} from '../../fixtures/evaluations.ts';
import { connectFake, deferred, settle, stubPage } from '../lab/fake-lab.ts';

const rolloutsOf = (evaluationId: string, ...rollouts: ReturnType<typeof evaluatedRollout>[]) =>
  ({ type: 'rollouts', evaluationId, rollouts }) satisfies EvaluationMessage;

beforeEach(() => {
  stubPage();
  useEvaluate.setState(EMPTY_EVALUATE, true);
});

describe('messages of the lab', () => {
  it('add rollouts to an evaluation that is open; a later one of a place replaces the earlier', () => {
    const result = evaluationResult({ a: [0] });
    const again = evaluatedRollout('a', 'q1', 1);
    const other = evaluatedRollout('a', 'q1', 0, { seed: 2, rollout: 'second' });
    const after = applyEvaluationMessages({ ...EMPTY_EVALUATE, results: { e1: result } }, [
      rolloutsOf('e1', again),
      rolloutsOf('e1', other),
      rolloutsOf('closed', again),
    ]);
    expect(after.results['e1']?.rollouts.map(({ em, seed }) => [em, seed])).toEqual([
      [1, 1],
      [0, 2],
    ]);
    expect(Object.keys(after.results)).toEqual(['e1']);
  });

  it('add to a list that others were added to before as to any other', () => {
    const at = (seed: number) => evaluatedRollout('a', 'q1', 0, { seed, rollout: `of ${seed}` });
    const seeds = (all: readonly { seed: number }[]) => all.map(({ seed }) => seed);
    const begun = withRollouts([], [at(1)]);
    const two = withRollouts(begun, [at(2)]);
    expect(seeds(withRollouts(two, [at(1), at(3)]))).toEqual([1, 2, 3]);
    // From the lists before, which have not what came later.
    expect(seeds(withRollouts(begun, [at(3), at(2)]))).toEqual([1, 3, 2]);
    expect(seeds(withRollouts(two, [at(2)]))).toEqual([1, 2]);
    expect([seeds(begun), seeds(two)]).toEqual([[1], [1, 2]]);
  });

  it('keep the list newest first, and know which one runs', () => {
    const older = evaluationRecord('a', { createdAt: '2026-01-01T00:00:00.000Z' });
    const newer = evaluationRecord('b', { status: 'running' });
    const state = applyEvaluationMessages(
      EMPTY_EVALUATE,
      [older, newer].map((evaluation) => ({ type: 'evaluation' as const, evaluation })),
    );
    expect(state.evaluations.map(({ id }) => id)).toEqual(['b', 'a']);
    expect(runningEvaluation(state)?.id).toBe('b');
  });
});

describe('the page and the lab', () => {
  it('read the list once connected, and say what failed where it cannot', async () => {
    connectFake({ evaluations: { list: () => Promise.resolve([evaluationRecord('a')]) } }, [
      evaluateLabUser,
    ]);
    await settle();
    expect(useEvaluate.getState()).toMatchObject({ status: 'ready', problem: null });
    connectFake({ evaluations: { list: () => Promise.reject(new Error('no storage')) } }, [
      evaluateLabUser,
    ]);
    await settle();
    expect(useEvaluate.getState().status).toBe('failed');
    expect(useEvaluate.getState().problem?.text).toBe(
      'The evaluations could not be read: no storage',
    );
  });

  it('keep what arrived while the result was read', async () => {
    const read = deferred<ReturnType<typeof evaluationResult>>();
    connectFake({ evaluations: { result: () => read.promise } });
    const known = evaluationResult({ a: [0, 0] });
    useEvaluate.setState({ results: { e1: known } });
    const opening = openEvaluation('e1');
    useEvaluate.setState((state) =>
      applyEvaluationMessages(state, [rolloutsOf('e1', evaluatedRollout('a', 'q2', 1))]),
    );
    read.resolve(evaluationResult({ a: [0, 0] }));
    await opening;
    expect(useEvaluate.getState().results['e1']?.rollouts.map(({ em }) => em)).toEqual([0, 1]);
  });

  it('say why an evaluation did not start', async () => {
    connectFake({
      evaluations: { start: () => Promise.reject(new Error('another one runs')) },
    });
    expect(await startEvaluation(DEFAULT_SPEC, 'x', 'wasm')).toBeNull();
    expect(useEvaluate.getState().problem?.text).toBe(
      'The evaluation did not start: another one runs',
    );
  });

  it('delete without asking, and bring back', async () => {
    const lab = connectFake();
    useEvaluate.setState({ evaluations: [evaluationRecord('a', { name: 'mine' })] });
    await removeEvaluation('a');
    expect(visibleEvaluations(useEvaluate.getState().evaluations)).toEqual([]);
    expect(useEvaluate.getState().removed).toMatchObject([{ id: 'a', name: 'mine' }]);
    await restoreEvaluation('a');
    expect(visibleEvaluations(useEvaluate.getState().evaluations)).toHaveLength(1);
    expect(useEvaluate.getState().removed).toEqual([]);
    expect(lab.callsOf('evaluations.restore')).toEqual([['a']]);
  });

  it('refuse a shared system with a part that nobody knows, by the part’s name', async () => {
    const lab = connectFake({ evaluations: { customs: () => Promise.resolve([]) } });
    const file = (changes: object) =>
      new File(
        [
          JSON.stringify({
            format: 'forage.system/1',
            id: 'mine',
            title: 'Mine',
            base: 'search',
            changes,
          }),
        ],
        'mine.system.json',
      );
    expect(await importCustoms([file({ telepathy: { mode: 'on' } })])).toEqual([]);
    expect(useEvaluate.getState().problem?.text).toMatch(
      /^mine\.system\.json was not imported: .*telepathy/,
    );
    expect(lab.callsOf('evaluations.saveCustom')).toEqual([]);
    expect(await importCustoms([file({ retrieval: { maxSearches: 1 } })])).toMatchObject([
      { id: 'mine' },
    ]);
    // What was wrong with the one before is not said of this one.
    expect(useEvaluate.getState().problem).toBeNull();
    expect(lab.callsOf('evaluations.saveCustom')).toHaveLength(1);
  });

  it('keep a custom system when an imported one has the same id: the import gets a new id', async () => {
    const own = {
      ...duplicateOf(getRecipe('search'), 'mine', 'Mine'),
      changes: { retrieval: { k: 5 } },
    };
    const lab = connectFake({ evaluations: { customs: () => Promise.resolve([own]) } });
    const fileOf = (system: object): File => new File([JSON.stringify(system)], 'a.system.json');
    const other = { ...own, changes: { retrieval: { k: 1 } } };
    expect(await importCustoms([fileOf(other)])).toEqual([
      { ...other, id: 'mine-2', title: 'Mine, imported' },
    ]);
    // The very same stays itself.
    expect(await importCustoms([fileOf(own)])).toEqual([own]);
    const saved = lab
      .callsOf('evaluations.saveCustom')
      .map(([system]) => (system as typeof own).id);
    expect(saved).toEqual(['mine-2', 'mine']);
  });

  it('open a rollout in the reader, reading the evaluation as a file where it is not one yet', async () => {
    const file = { id: 'evaluation-e1' };
    const lab = connectFake({
      rollouts: {
        find: () => Promise.resolve(null),
        importEvaluation: () => Promise.resolve({ status: 'ready', file } as never),
      },
    });
    const gone: string[] = [];
    await openEvaluationRollout('e1', 'r 1', (path) => gone.push(path));
    expect(gone).toEqual(['/rollouts/evaluation-e1/r%201']);
    expect(lab.callsOf('rollouts.importEvaluation')[0]?.[1]).toBe('e1');
  });
});
