import { beforeEach, describe, expect, it, vi } from 'vitest';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import { cancelDownload, downloadOf } from '../../../../src/ui/train/store/download-actions.ts';
import {
  dismissFrozen,
  dismissProblem,
  dismissRemoved,
  dropOf,
  editRun,
  exportRun,
  importRuns,
  pauseRun,
  removeRun,
  restoreRun,
  resumeRun,
  setLearningRate,
  startTraining,
  stopRun,
} from '../../../../src/ui/train/store/train-actions.ts';
import {
  EMPTY_TRAIN,
  runById,
  setTrainApi,
  trainApi,
  useTrain,
  visibleRuns,
} from '../../../../src/ui/train/store/train-store.ts';
import { useSetup } from '../../../../src/ui/setup/setup-store.ts';
import { runRecord } from '../../../fixtures/train-runs.ts';
import { fakeLab, stubPage, type Answers } from '../../lab/fake-lab.ts';

const state = () => useTrain.getState();
const refuse = () => Promise.reject(new Error('another tab has it'));

const connect = (train: Partial<Answers['train']> = {}) => {
  const lab = fakeLab({ train });
  setTrainApi(lab.connection.train);
  return lab;
};

const start = {
  settings: runRecord().settings,
  name: 'mine',
  device: 'auto',
  demonstrations: null,
} as const;

/** Names of files that the page hands to the browser. */
const saved = (): string[] => {
  const names: string[] = [];
  const link = { href: '', download: '', click: () => void names.push(link.download) };
  vi.stubGlobal('document', { createElement: () => link });
  vi.stubGlobal('URL', { createObjectURL: () => 'blob:1', revokeObjectURL: () => undefined });
  return names;
};

beforeEach(() => {
  stubPage();
  useTrain.setState({ ...EMPTY_TRAIN, runs: [runRecord('a', { name: 'A run' })] }, true);
  useSetup.setState({ setup: BUILT_IN_SETUP });
});

describe('starting a run', () => {
  it('trains with what is chosen, and shows the run at once', async () => {
    const lab = connect({ create: () => Promise.resolve(runRecord('new')) });
    useTrain.setState({ problem: { text: 'old', detail: '' }, frozen: 'old' });
    expect(await startTraining(start)).toBe('new');
    expect(lab.callsOf('train.create')).toEqual([
      [start.settings, 'mine', 'auto', BUILT_IN_SETUP, undefined, undefined],
    ]);
    expect(runById(state(), 'new')).toBeDefined();
    expect(state()).toMatchObject({ problem: null, frozen: null, steps: { new: [] } });
  });

  it('keeps what the lab told meanwhile: it is newer than the answer', async () => {
    connect({
      create: () => {
        useTrain.setState(({ runs }) => ({ runs: [...runs, runRecord('new', { step: 1 })] }));
        return Promise.resolve(runRecord('new'));
      },
    });
    await startTraining(start);
    expect(runById(state(), 'new')?.step).toBe(1);
    expect(state().runs.filter(({ id }) => id === 'new')).toHaveLength(1);
  });

  it('that is refused says why, and the form stays', async () => {
    connect({ create: refuse });
    expect(await startTraining(start)).toBeNull();
    expect(state().problem?.text).toBe('The run did not start: another tab has it');
    expect(state().steps).toEqual({});
  });

  it('without a worker says that it did not start', async () => {
    setTrainApi(null);
    expect(() => trainApi()).toThrow('Training is not connected');
    expect(await startTraining(start)).toBeNull();
    expect(state().problem?.text).toContain('The run did not start: Training is not connected');
  });
});

describe('a run that trains', () => {
  it.each<[string, () => Promise<unknown>, unknown[]]>([
    ['pause', () => pauseRun('a'), ['a']],
    ['resume', () => resumeRun('a'), ['a', undefined, undefined]],
    ['resume', () => resumeRun('a', 'wasm'), ['a', 'wasm', undefined]],
    ['setLearningRate', () => setLearningRate('a', 1e-4), ['a', 1e-4]],
    ['stop', () => stopRun('a', true), ['a', true]],
  ])('is told to %s', async (name, act, args) => {
    const lab = connect();
    await act();
    expect(lab.callsOf(`train.${name}`)).toEqual([args]);
  });

  it.each<[keyof NonNullable<Answers['train']>, () => Promise<unknown>, string]>([
    ['pause', () => pauseRun('a'), 'The run could not be paused'],
    ['resume', () => resumeRun('a'), 'The run could not go on'],
    ['stop', () => stopRun('a', true), 'The run could not be stopped'],
    ['setLearningRate', () => setLearningRate('a', 0), 'The learning rate was not changed'],
    ['edit', () => editRun('a', { name: 'x' }), 'The change was not saved'],
    ['remove', () => removeRun('a'), '“A run” was not deleted'],
    ['restore', () => restoreRun('a'), 'The run could not be brought back'],
    ['exportRun', () => exportRun('a'), '“A run” could not be exported'],
    ['download', () => downloadOf('a', 'peft'), 'The download was not made'],
    ['drop', () => dropOf('a', 'rollouts'), 'The rollouts were not deleted'],
  ])('%s that is refused says so and changes nothing', async (name, act, words) => {
    connect({ [name]: refuse });
    const before = state().runs;
    await act();
    expect(state().problem?.text).toBe(`${words}: another tab has it`);
    expect(state().runs).toEqual(before);
    expect(state().removed).toEqual([]);
    dismissProblem();
    expect(state().problem).toBeNull();
  });
});

describe('the list of runs', () => {
  it('shows a new name, tags and notes once they are stored', async () => {
    connect();
    await editRun('a', { name: 'B', tags: ['x'], notes: 'n' });
    expect(runById(state(), 'a')).toMatchObject({ name: 'B', tags: ['x'], notes: 'n' });
  });

  it('deletes without asking, and brings back', async () => {
    connect();
    await removeRun('a');
    expect(visibleRuns(state().runs)).toEqual([]);
    expect(state().removed).toMatchObject([{ id: 'a', name: 'A run' }]);
    await restoreRun('a');
    expect(visibleRuns(state().runs).map(({ id }) => id)).toEqual(['a']);
    expect(state().removed).toEqual([]);
  });

  it('still offers to bring back what could not be brought back yet', async () => {
    connect({ restore: refuse });
    await removeRun('a');
    await restoreRun('a');
    expect(state().removed).toHaveLength(1);
    expect(visibleRuns(state().runs)).toEqual([]);
    dismissRemoved();
    expect(state().removed).toEqual([]);
  });

  it('says what can be freed, and hides what was said of a frozen tab', async () => {
    connect({ drop: () => Promise.resolve(1200) });
    expect(await dropOf('a', 'adapters')).toBe(1200);
    useTrain.setState({ frozen: 'x' });
    dismissFrozen();
    expect(state().frozen).toBeNull();
  });
});

describe('files of runs', () => {
  it('are saved under the run’s name', async () => {
    const blob = new Blob(['x']);
    connect({
      exportRun: () => Promise.resolve(blob),
      download: () => Promise.resolve([{ name: 'a-adapter.zip', blob }]),
    });
    const names = saved();
    await exportRun('a');
    await downloadOf('a', 'peft');
    expect(names).toEqual(['a-run.run.json', 'a-adapter.zip']);
  });

  it('tell how far they are while they are made, one at a time', async () => {
    const seen: unknown[] = [];
    connect({
      download: (_run, what, onProgress) => {
        onProgress(3, 12);
        seen.push(useTrain.getState().download);
        void downloadOf('b', 'peft');
        return Promise.resolve([{ name: `${what}.gguf`, blob: new Blob(['x']) }]);
      },
    });
    const names = saved();
    await downloadOf('a', 'gguf-f16');
    const making = { run: 'a', what: 'gguf-f16', done: 3, total: 12, cancelling: false };
    expect(seen).toEqual([making]);
    expect(names).toEqual(['gguf-f16.gguf']);
    expect(useTrain.getState().download).toBeNull();
  });

  it('are not saved once they were cancelled', async () => {
    let end: (files: []) => void = () => undefined;
    const lab = connect({
      download: () => new Promise((resolve) => (end = resolve)),
      cancelDownload: () => Promise.resolve(end([])),
    });
    const names = saved();
    const making = downloadOf('a', 'gguf-q8_0');
    await cancelDownload();
    await making;
    expect(lab.callsOf('train.cancelDownload')).toHaveLength(1);
    expect(names).toEqual([]);
    expect(state().problem).toBeNull();
    expect(useTrain.getState().download).toBeNull();
  });

  it('are imported one after the other; one that is none does not stop the rest', async () => {
    connect({
      importRun: (file) =>
        (file as File).name === 'bad.json' ? refuse() : Promise.resolve(runRecord('in')),
    });
    const files = ['bad.json', 'good.json'].map((name) => new File(['{}'], name));
    expect(await importRuns(files)).toEqual(['in']);
    expect(state().problem?.text).toBe('bad.json could not be imported: another tab has it');
    expect(runById(state(), 'in')).toBeDefined();
  });
});
