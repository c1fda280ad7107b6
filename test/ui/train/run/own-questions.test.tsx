import { expect, it } from 'vitest';
import type { RunRecord } from '../../../../src/lab/contract/records/runs.ts';
import { RunHeader } from '../../../../src/ui/train/run/RunHeader.tsx';
import { useTrain } from '../../../../src/ui/train/store/train-store.ts';
import { runRecord } from '../../../fixtures/train-runs.ts';
import { htmlOf, wordsIn } from '../../kit/render.tsx';

it('a run on questions of one’s own says how they were split, one on the built-in world does not', () => {
  const head = (world: RunRecord['world']): string => {
    const run = runRecord('a', { world });
    useTrain.setState({ ...useTrain.getInitialState(), runs: [run] }, true);
    return wordsIn(htmlOf(<RunHeader run={run} steps={[]} />, useTrain));
  };
  const split = { by: 'share', seed: 0, train: 42, dev: 9, test: 9, left: 0 } as const;
  expect(head({ seed: 0, questions: 60, split })).toMatch(
    /Your questions: 42 for training, 9 held out, 9 for testing/,
  );
  expect(head({ seed: 7, questions: 60 })).not.toContain('Your questions');
});
