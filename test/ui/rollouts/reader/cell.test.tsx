import { expect, it } from 'vitest';
import { alignGroup } from '../../../../src/evaluate/rollouts/align.ts';
import type { ImportedRollout } from '../../../../src/formats/rollouts/shape/imported.ts';
import type { Segment } from '../../../../src/records/rollout.ts';
import { CellView } from '../../../../src/ui/rollouts/reader/views/CellView.tsx';
import { emptyRollout } from '../../../fixtures/rollouts.ts';
import { htmlOf, wordsIn } from '../../kit/render.tsx';

const segment = (source: Segment['source'], role: Segment['role'], text: string): Segment => ({
  source,
  role,
  text,
  ids: [],
  mask: source === 'policy' ? 1 : 0,
});

const cellWords = (segments: Segment[]): string => {
  const rollout = {
    ...emptyRollout('r'),
    layout: 'forage',
    segments,
  } as unknown as ImportedRollout;
  const cell = alignGroup([rollout])?.rows[0]?.[0] ?? null;
  return wordsIn(htmlOf(<CellView cell={cell} rollout={rollout} />));
};

it('puts a background before the following text of the policy, a result after its query', () => {
  const words = cellWords([
    segment('prompt', 'question', 'Where?'),
    segment('environment', 'background', '<background>Early : is read first.</background>'),
    segment('policy', 'think', '<think>So I look.</think>'),
    segment('policy', 'search', '<search>who</search>'),
    segment('environment', 'result', '<result>Late : is read last.</result>'),
  ]);
  expect(words.match(/Early|So I look|who|Late/g)).toEqual(['Early', 'So I look', 'who', 'Late']);
  const answered = cellWords([
    segment('prompt', 'question', 'Where?'),
    segment('environment', 'background', '<background>Early : is read first.</background>'),
    segment('policy', 'answer', '<short_answer>Borfield</short_answer>'),
  ]);
  expect(answered.match(/Early|Borfield/g)).toEqual(['Early', 'Borfield']);
});
