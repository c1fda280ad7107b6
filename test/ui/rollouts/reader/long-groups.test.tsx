import { expect, it } from 'vitest';
import { alignGroup } from '../../../../src/evaluate/rollouts/align.ts';
import { whatIf } from '../../../../src/evaluate/rollouts/what-if/what-if.ts';
import type { ImportedRollout } from '../../../../src/formats/rollouts/shape/imported.ts';
import type { Segment } from '../../../../src/records/rollout.ts';
import { settingsFor } from '../../../../src/ui/rollouts/reader/store/settings.ts';
import { Aligned } from '../../../../src/ui/rollouts/reader/views/Aligned.tsx';
import { Outcomes } from '../../../../src/ui/rollouts/reader/views/Outcomes.tsx';
import { emptyRollout } from '../../../fixtures/rollouts.ts';
import { htmlOf, wordsIn } from '../../kit/render.tsx';

const rolloutOf = (id: string, segments: Segment[] = []): ImportedRollout =>
  ({ ...emptyRollout(id), layout: 'forage', segments }) as unknown as ImportedRollout;

const rounds = (count: number): Segment[] =>
  Array.from({ length: count }, (_, at): Segment[] => [
    {
      source: 'policy',
      role: 'search',
      text: `<search>query ${at + 1}.</search>`,
      ids: [],
      mask: 1,
    },
    { source: 'environment', role: 'result', text: '<result>A : b.</result>', ids: [], mask: 0 },
  ]).flat();

const alignedWords = (count: number): string => {
  const rollout = rolloutOf('r', rounds(count));
  const aligned = alignGroup([rollout]);
  if (!aligned) throw new Error('one rollout is a group');
  return wordsIn(htmlOf(<Aligned aligned={aligned} rollouts={[rollout]} here="r" beside={16} />));
};

it('rounds that are not shown at once are offered', () => {
  expect(alignedWords(70)).toContain('query 60.');
  expect(alignedWords(70)).not.toContain('query 61.');
  expect(alignedWords(70)).toContain('Show more of 70');
  expect(alignedWords(8)).not.toContain('Show more');
});

const outcomeWords = (count: number): string => {
  const rollouts = Array.from({ length: count }, (_, at) => rolloutOf(`r${at}`));
  const made = whatIf(rollouts, settingsFor(null), settingsFor(null));
  return wordsIn(
    htmlOf(<Outcomes made={made} reading={{ rollout: rolloutOf('r0'), siblings: [] }} />),
  );
};

it('rollouts of a group that are not shown at once are offered', () => {
  expect(outcomeWords(300)).toContain('Show more of 300');
  expect(outcomeWords(8)).not.toContain('Show more');
});
