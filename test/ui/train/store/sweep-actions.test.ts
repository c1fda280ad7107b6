import { beforeEach, describe, expect, it } from 'vitest';
import { parseSweep } from '../../../../src/evaluate/sweep/axes.ts';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import { useSetup } from '../../../../src/ui/setup/setup-store.ts';
import {
  bringBack,
  dropRest,
  goOnWithSweep,
  startSweep,
  stopSweep,
} from '../../../../src/ui/train/store/sweep-actions.ts';
import {
  EMPTY_TRAIN,
  setTrainApi,
  useTrain,
  visibleRuns,
} from '../../../../src/ui/train/store/train-store.ts';
import { runRecord } from '../../../fixtures/train-runs.ts';
import { fakeLab, stubPage, type Answers } from '../../lab/fake-lab.ts';

const connect = (train: Partial<Answers['train']> = {}) => {
  const lab = fakeLab({ train });
  setTrainApi(lab.connection.train);
  return lab;
};
const refuse = () => Promise.reject(new Error('another tab has it'));
const state = () => useTrain.getState();

const start = {
  name: 'rates',
  axes: parseSweep('lr=1e-4,3e-4'),
  settings: runRecord().settings,
  device: 'auto',
  demonstrations: null,
} as const;

beforeEach(() => {
  stubPage();
  useTrain.setState({ ...EMPTY_TRAIN, runs: [runRecord('a'), runRecord('b')] }, true);
  useSetup.setState({ setup: BUILT_IN_SETUP });
});

describe('starting a sweep', () => {
  it('trains its grid with what is chosen, and takes back what was said before', async () => {
    const setup = { ...BUILT_IN_SETUP, source: 'local' as const };
    useSetup.setState({ setup });
    useTrain.setState({ problem: { text: 'old', detail: '' }, frozen: 'old' });
    const lab = connect({ createSweep: () => Promise.resolve('sweep-1') });
    expect(await startSweep(start)).toBe('sweep-1');
    expect(lab.callsOf('train.createSweep')).toEqual([
      [{ name: 'rates', axes: start.axes }, start.settings, 'auto', setup, undefined, undefined],
    ]);
    expect(state()).toMatchObject({ problem: null, frozen: null });
  });

  it('hands demonstrations over', async () => {
    const demonstrations = new File(['{}'], 'trajectories.jsonl');
    const lab = connect({ createSweep: () => Promise.resolve('sweep-1') });
    await startSweep({ ...start, demonstrations });
    expect(lab.callsOf('train.createSweep')[0]?.[4]).toBe(demonstrations);
  });

  it('that fails says why, and leaves the runs as they were', async () => {
    connect({ createSweep: refuse });
    const before = state().runs;
    expect(await startSweep(start)).toBeNull();
    expect(state().problem?.text).toBe('The sweep did not start: another tab has it');
    expect(state().runs).toBe(before);
  });

  it('says that there is no lab where none was connected', async () => {
    setTrainApi(null);
    expect(await startSweep(start)).toBeNull();
    expect(state().problem?.text).toContain('Training is not connected');
  });
});

describe('a sweep that was begun', () => {
  it('goes on, or says why not', async () => {
    const lab = connect();
    await goOnWithSweep('s');
    expect(lab.callsOf('train.goOnWithSweep')).toEqual([['s']]);
    expect(state().problem).toBeNull();
    connect({ goOnWithSweep: refuse });
    await goOnWithSweep('s');
    expect(state().problem?.text).toBe('The sweep could not go on: another tab has it');
  });

  it('drops what waits, and tells which, so that it can be brought back', async () => {
    const lab = connect({ dropRest: () => Promise.resolve(['b', 'a']) });
    expect(await dropRest('s')).toEqual(['b', 'a']);
    expect(lab.callsOf('train.dropRest')).toEqual([['s']]);
    const deletedAt = '2026-01-02T00:00:00.000Z';
    useTrain.setState({ runs: ['a', 'b'].map((id) => runRecord(id, { deletedAt })) });
    await bringBack(['b', 'a']);
    expect(visibleRuns(state().runs)).toHaveLength(2);
    expect(lab.callsOf('train.restore')).toEqual([['b'], ['a']]);
    connect({ dropRest: refuse });
    expect(await dropRest('s')).toEqual([]);
    expect(state().problem?.text).toBe('The runs were not dropped: another tab has it');
  });

  it('stopped, drops what waits before it ends the run: none of them begins in between', async () => {
    const lab = connect({ dropRest: () => Promise.resolve(['b']) });
    expect(await stopSweep('s', 'a')).toEqual(['b']);
    // What the run learned is kept.
    expect(lab.calls).toEqual([
      ['train.dropRest', 's'],
      ['train.stop', 'a', true],
    ]);
  });

  it('stopped, ends the run even where nothing could be dropped', async () => {
    const lab = connect({ dropRest: refuse });
    expect(await stopSweep('s', 'a')).toEqual([]);
    expect(lab.callsOf('train.stop')).toEqual([['a', true]]);
  });
});
