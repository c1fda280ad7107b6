import { beforeEach, expect, it } from 'vitest';
import { useRollouts } from '../../../src/ui/rollouts/store/rollouts-store.ts';
import { TrajectoryFile } from '../../../src/ui/train/form/fields/TrajectoryFile.tsx';
import { textOf } from '../kit/render.tsx';
import { fileRecord } from '../rollouts/views.ts';
import { useTrainForm, type DemonstrationsFile } from '../../../src/ui/train/store/train-draft.ts';

const words = (of: 'rollouts' | 'stored' = 'rollouts'): string =>
  textOf(<TrajectoryFile of={of} />, useRollouts, useTrainForm);

const demonstrationsAre = (change: Partial<DemonstrationsFile>): void =>
  useTrainForm.setState(({ demonstrations }) => ({
    demonstrations: { ...demonstrations, ...change },
  }));

const files = [
  fileRecord('gold', {
    layouts: { forage: 240 },
    rollouts: 240,
    importedAt: '2026-03-04T12:00:00.000Z',
  }),
  fileRecord('verl', { layouts: { verl: 3 } }),
];

beforeEach(() => {
  useRollouts.setState(useRollouts.getInitialState(), true);
  useTrainForm.setState(useTrainForm.getInitialState(), true);
});

it('offers only a file of the computer where nothing suitable is stored', () => {
  expect(words()).not.toContain('Stored demonstrations');
  useRollouts.setState({ files: files.slice(1) });
  expect(words()).not.toContain('Stored demonstrations');
});

it('lists stored demonstrations by name, count and date, beside a file of the computer', () => {
  useRollouts.setState({ files });
  expect(words()).toMatch(
    /Stored demonstrations none: choose a file gold\.jsonl: 240 rollouts, Mar 4, \d\d:\d\d Demonstrations/,
  );
  expect(words()).not.toContain('verl');
  expect(words('stored')).not.toContain('Stored demonstrations');
});

it('says what is in the stored file that is chosen', () => {
  useRollouts.setState({ files });
  const given = { count: 240, tokens: 500, written: 100 };
  demonstrationsAre({ stored: 'gold' });
  expect(words()).toContain('Reading the file …');
  demonstrationsAre({ counts: { of: 'rollouts', all: 240, right: 200, given } });
  expect(words()).toMatch(/240 trajectories, 200 right by EM$/);
  expect(words()).not.toContain('Reading');
});
