import { useContext, type ReactElement, type ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import type { EvaluatedRollout } from '../../../src/evaluate/systems/result.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { SystemColumn } from '../../../src/ui/evaluate/questions/RolloutReading.tsx';
import { EventActions } from '../../../src/ui/kit/events/parts/actions.ts';
import { evaluatedRollout } from '../../fixtures/evaluations.ts';
import { emptyRollout, policySegment } from '../../fixtures/rollouts.ts';
import { htmlOf } from '../kit/render.tsx';

/** What cards offer where the rollouts of an evaluation are read beside each other. */

let stored: Rollout | null = null;
const offered: ReactNode[] = [];

vi.mock('../../../src/ui/kit/use-answer.ts', () => ({
  useAnswer: () => ({ state: 'ready', value: stored }),
}));

/** The cards are closed at first; this offers what an opened one would. */
const Offers = ({ rollout }: { rollout: Rollout }) => {
  offered.push(useContext(EventActions)?.(rollout, 2) ?? null);
  return null;
};
vi.mock('../../../src/ui/kit/rounds/RoundList.tsx', () => ({
  RoundList: (props: { rollout: Rollout }) => <Offers {...props} />,
}));

const draw = (rest: Partial<EvaluatedRollout> = {}): string =>
  htmlOf(
    <SystemColumn
      evaluation="e"
      name="Search"
      made={[evaluatedRollout('s', 'q1', 1, { rollout: 'a', ...rest })]}
      read={() => undefined}
      close={() => undefined}
    />,
  );

it('is to go on from an event in Ask, by the place of the rollout in its evaluation', () => {
  stored = emptyRollout('a');
  draw();
  expect(offered).toHaveLength(1);
  const { props } = offered[0] as ReactElement;
  expect(props).toMatchObject({
    place: { file: 'evaluation-e', rollout: 'a' },
    rollout: stored,
    event: 2,
  });
});

it('is absent for a rollout of which only the numbers are stored', () => {
  stored = null;
  offered.length = 0;
  expect(draw()).toContain('Only the numbers of this rollout were imported');
  expect(offered).toEqual([]);
});

it('says an answer in prose, from the evaluation or from the rollout itself', () => {
  const said = 'Answered outside the tags: It is Borfield.';
  stored = null;
  expect(draw({ answer: null })).toContain('<b>no answer</b>');
  expect(draw({ answer: null, outside: 'It is Borfield.' })).toContain(said);
  stored = {
    ...emptyRollout('a'),
    segments: [{ ...policySegment([1], 'other'), text: 'It is Borfield.' }],
  };
  expect(draw({ answer: null })).toContain(said);
  expect(draw({ answer: 'Mondria' })).toContain('<b>Mondria</b>');
});
