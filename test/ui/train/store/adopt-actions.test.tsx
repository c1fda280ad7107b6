import { beforeEach, expect, it } from 'vitest';
import type { AdoptOutcome } from '../../../../src/lab/contract/training.ts';
import type { RunRecord } from '../../../../src/lab/contract/records/runs.ts';
import { Adopting } from '../../../../src/ui/runs/RunsPage.tsx';
import {
  cancelAdopting,
  dismissAdopted,
  takeFiles,
} from '../../../../src/ui/train/store/adopt-actions.ts';
import { EMPTY_TRAIN, setTrainApi, useTrain } from '../../../../src/ui/train/store/train-store.ts';
import { runRecord } from '../../../fixtures/train-runs.ts';
import { htmlOf, wordsIn } from '../../kit/render.tsx';
import { fakeLab, stubPage } from '../../lab/fake-lab.ts';

/** Folders that came back from a cluster, several at once, and what is said of those that were cancelled. */

type Progress = (done: number, total: number) => void;

/** What the lab was handed last: how far it is, and how it answers. */
let progress: Progress;
let answer: (outcome: AdoptOutcome) => void;

const connect = () => {
  const lab = fakeLab({
    train: {
      adopt: (_job: string, _files: unknown, onProgress: Progress) =>
        new Promise<AdoptOutcome>((resolve) => {
          progress = onProgress;
          answer = resolve;
        }),
    },
  });
  setTrainApi(lab.connection.train);
  return lab;
};
const ready = (run: RunRecord): AdoptOutcome => ({ status: 'ready', run });
const turn = () => new Promise((resolve) => void setTimeout(resolve));
const words = () => wordsIn(htmlOf(<Adopting />, useTrain));
const archives = (...names: string[]): File[] => names.map((name) => new File(['x'], name));

beforeEach(() => {
  stubPage();
  useTrain.setState(EMPTY_TRAIN, true);
  dismissAdopted();
});

it('cancels what is read and what waits, and says which of it is here', async () => {
  const lab = connect();
  const taken = takeFiles(archives('a.tar', 'b.zip', 'c.tgz'));
  await turn();
  expect(words()).toMatch(/^Reading “a.tar” … · 2 more wait .*Cancel$/);
  answer(ready(runRecord('a', { name: 'A, on TRL' })));
  await turn();
  progress(3, 8);
  expect(words()).toContain('Reading “b.zip”: step 3 of 8 stored · 1 more waits');

  await cancelAdopting();
  expect(lab.callsOf('train.cancelAdopt')).toEqual([[lab.callsOf('train.adopt').at(-1)?.[0]]]);
  // Until the lab has removed what it stored, nothing is said of it.
  expect(words()).toContain('Stopping …');
  expect(words()).not.toContain('is kept');
  answer({ status: 'cancelled' });
  await taken;
  expect(words()).toBe(
    'A, on TRL is here now. ✕ Cancelled: nothing of “b.zip” is kept. Not begun: “c.tgz”.',
  );
  expect(lab.callsOf('train.adopt')).toHaveLength(2);
  expect(useTrain.getState().runs.map(({ id }) => id)).toEqual(['a']);
});

it('says that one is here which was stored by the time it was cancelled', async () => {
  connect();
  const taken = takeFiles(archives('a.tar'));
  await turn();
  await cancelAdopting();
  answer(ready(runRecord('a', { name: 'A, on verl' })));
  await taken;
  expect(words()).toBe('A, on verl is here now. ✕');
});

it('reads what is dropped meanwhile behind what is read', async () => {
  const lab = connect();
  const first = takeFiles(archives('a.tar'));
  await takeFiles(archives('b.tar'));
  await turn();
  expect(lab.callsOf('train.adopt')).toHaveLength(1);
  expect(words()).toContain('1 more waits');
  answer(ready(runRecord('a', { name: 'A' })));
  await turn();
  expect(words()).toContain('Reading “b.tar”');
  answer({ status: 'cancelled' });
  await first;
  expect(words()).toContain('A is here now.');
});
