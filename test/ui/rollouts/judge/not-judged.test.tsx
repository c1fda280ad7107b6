import { expect, it } from 'vitest';
import { MOST_NOT_JUDGED } from '../../../../src/lab/contract/records/rollout-files.ts';
import { NotJudged } from '../../../../src/ui/rollouts/judge/JudgeView.tsx';
import { htmlOf, wordsIn } from '../../kit/render.tsx';

const wordsOf = (count: number): string => {
  const notJudged = Array.from({ length: count }, (_, at) => ({
    rollout: `r${at}`,
    reason: 'the server was gone',
  }));
  return wordsIn(htmlOf(<NotJudged judging={{ notJudged }} fileId="f" search="" />));
};

it('answers without a verdict are counted, and a full list claims no number', () => {
  expect(wordsOf(3)).toMatch(/^Not judged: 3 rollout/);
  expect(wordsOf(MOST_NOT_JUDGED)).toContain('Not judged: 500 or more, the first of them');
  expect(wordsOf(0)).toBe('');
});
