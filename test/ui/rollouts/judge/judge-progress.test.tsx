import { expect, it } from 'vitest';
import { JudgeProgress } from '../../../../src/ui/rollouts/judge/JudgeView.tsx';
import { htmlOf, wordsIn } from '../../kit/render.tsx';
import type { JudgeJob } from '../../../../src/ui/rollouts/store/rollouts-store.ts';

const job: JudgeJob = {
  fileId: 'a',
  status: 'running',
  done: 3,
  total: 12,
  right: 2,
  wrong: 1,
  notJudged: 0,
  startedAt: 0,
  words: null,
};
const html = (fileId: string, change: Partial<JudgeJob> = {}): string =>
  htmlOf(<JudgeProgress job={{ ...job, ...change }} fileId={fileId} />);

it('a file shows how far its judging is; another one says what is in its way', () => {
  expect(wordsIn(html('a'))).toContain('3 of 12 asked');
  expect(wordsIn(html('b'))).toContain('another file');
  expect(html('b')).toContain('/a?view=judge');
  expect(html('b', { status: 'ended' })).not.toContain('another file');
});
