import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { DemonstrationsOutcome } from '../../../../src/lab/contract/demonstrations.ts';
import { getTraining } from '../../../../src/systems/index.ts';
import { DemonstrationsFold } from '../../../../src/ui/train/form/folds/DemonstrationsFold.tsx';
import { FormState } from '../../../../src/ui/train/form/fields/fields.tsx';
import { makeDemonstrations } from '../../../../src/ui/train/store/make-demonstrations.ts';
import { emptyRollout, metrics, policySegment } from '../../../fixtures/rollouts.ts';
import { htmlOf, wordsIn } from '../../kit/render.tsx';
import { connectFake, stubPage } from '../../lab/fake-lab.ts';
import { fileRecord } from '../../rollouts/views.ts';
import { useTrainForm, NOT_MAKING } from '../../../../src/ui/train/store/train-draft.ts';

const SETTINGS = getTraining('search/grpo');
const rollout = {
  ...emptyRollout('r'),
  segments: [policySegment([1])],
  metrics: metrics({ em: 1 }),
};
const MADE: DemonstrationsOutcome = {
  status: 'made',
  file: new Blob([JSON.stringify(rollout)]),
  summary: {
    of: 4,
    kept: 1,
    leftOut: { 'not-retrieved': 3 },
    tokens: { least: 500, p10: 500, median: 500, p90: 500, most: 500, mean: 500 },
    trained: 100,
    searches: 2,
  },
};

const words = (): string =>
  wordsIn(
    htmlOf(
      <FormState value={{ raw: {}, errors: {}, settings: SETTINGS }}>
        <DemonstrationsFold />
      </FormState>,
      useTrainForm,
    ),
  );

beforeEach(() => {
  stubPage();
  useTrainForm.setState(useTrainForm.getInitialState(), true);
});

describe('demonstrations for a cold start', () => {
  it('take the place of the rollouts that a recipe begins with', async () => {
    connectFake({
      demonstrations: { make: () => Promise.resolve(MADE) },
      rollouts: {
        files: () => Promise.resolve([]),
        importFile: () => Promise.resolve({ status: 'ready', file: fileRecord('made') }),
      },
    });
    const limits = { maxTokens: 1200, most: 500 };
    await makeDemonstrations({ kind: 'gold' }, SETTINGS, limits);
    expect(useTrainForm.getState().draft.changes).not.toHaveProperty(['warmUp.own']);
    await makeDemonstrations({ kind: 'gold' }, getTraining('kunlun-baize/whole'), limits);
    expect(useTrainForm.getState().draft.changes).toHaveProperty(['warmUp.own'], null);
  });

  it('become the file of the run, and a file of the Rollouts page', async () => {
    const { callsOf } = connectFake({
      demonstrations: { make: () => Promise.resolve(MADE) },
      rollouts: {
        files: () => Promise.resolve([]),
        importFile: () => Promise.resolve({ status: 'ready', file: fileRecord('made') }),
      },
    });
    await makeDemonstrations({ kind: 'gold' }, SETTINGS, { maxTokens: 1200, most: 500 });
    expect(callsOf('demonstrations.make')[0]?.slice(0, 2)).toMatchObject([
      { kind: 'gold' },
      { settings: SETTINGS, maxTokens: 1200, most: 500 },
    ]);
    expect(useTrainForm.getState().demonstrations).toMatchObject({
      file: { name: 'demonstrations-gold-search.jsonl' },
      counts: { of: 'rollouts', all: 1, right: 1 },
    });
    await vi.waitFor(() =>
      expect(callsOf('rollouts.importFile')[0]?.[2]).toBe('demonstrations-gold-search.jsonl'),
    );
    // A reload finds them there.
    await vi.waitFor(() => expect(useTrainForm.getState().demonstrations.stored).toBe('made'));
    expect(words()).toMatch(
      /4 questions.*1 kept as demonstrations.*3 left out: a search did not bring/,
    );
  });

  it('say how far they are, and can be cancelled', () => {
    useTrainForm.setState({
      making: { ...NOT_MAKING, progress: { done: 30, total: 2400, kept: 20 } },
    });
    expect(words()).toMatch(/30 of 2,400 read, 20 kept Cancel/);
  });

  it('that cannot be made say why', async () => {
    connectFake({
      demonstrations: { make: () => Promise.reject(new Error('no training question')) },
    });
    await makeDemonstrations({ kind: 'gold' }, SETTINGS, { maxTokens: 1200, most: 500 });
    expect(words()).toContain('The demonstrations could not be made: no training question');
  });
});
