import { beforeEach, expect, it, vi } from 'vitest';
import { besideOf } from '../../../src/evaluate/rollouts/siblings/beside.ts';
import { liveRollout } from '../../../src/lab/train/active-run.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { groupFigures } from '../../../src/ui/ask/columns/group.ts';
import { groupRollouts } from '../../../src/ui/ask/store/rollout-groups.ts';
import { BesideTable } from '../../../src/ui/kit/beside/BesideTable.tsx';
import { FilmPicture } from '../../../src/ui/train/film/FilmPicture.tsx';
import { FilmTable } from '../../../src/ui/train/film/Film.tsx';
import { LiveStep } from '../../../src/ui/train/run/LiveStep.tsx';
import { StepRollouts } from '../../../src/ui/train/run/StepRollouts.tsx';
import { useTrain } from '../../../src/ui/train/store/train-store.ts';
import { emptyRollout, metrics, policySegment } from '../../fixtures/rollouts.ts';
import { runRecord } from '../../fixtures/train-runs.ts';
import { htmlOf, textOf, valuesOf } from '../kit/render.tsx';

/** A model that answers in prose, outside the tags, on the pages that show what it answered. */

const SAID = 'Answered outside the tags: He was born in Borfield.';
const prose: Rollout = {
  ...emptyRollout('prose'),
  segments: [{ ...policySegment([1], 'other'), text: 'He was born\nin Borfield.' }],
  events: [{ t: 1, kind: 'stop', reason: 'malformed', detail: '' }],
  metrics: metrics({ em: 0 }),
};
const silent: Rollout = { ...prose, id: 'silent', segments: [] };

vi.mock('../../../src/ui/kit/use-answer.ts', () => ({
  useAnswer: () => ({ state: 'ready', value: groupRollouts([prose, silent]) }),
}));

const run = runRecord('a', { status: 'running', step: 1 });
const nothing = (): void => undefined;

beforeEach(() => useTrain.setState({ ...useTrain.getInitialState(), status: 'ready' }, true));

it('is in the rollouts of a step, while it is made and when it is kept', () => {
  useTrain.setState({
    live: { a: [prose, silent].map((rollout) => liveRollout(rollout, 'step')) },
  });
  expect(textOf(<LiveStep run={run} first />, useTrain)).toMatch(
    new RegExp(`✗ ${SAID} ?✗ no answer`),
  );
  const step = <StepRollouts run={run} step={1} record={undefined} last={1} select={nothing} />;
  expect(textOf(step, useTrain)).toMatch(new RegExp(`${SAID}.*no answer`));
});

it('is in the training film', () => {
  const question = { id: 'q', text: 'Where?', gold: 'Borfield', em: 0, f1: 0, searches: 0 };
  const cell = { ...question, answer: null, outside: 'He was born in Borfield.' };
  const film = { steps: [0], em: [0], rows: [{ ...question, cells: [cell] }] };
  expect(valuesOf(htmlOf(<FilmTable film={film} open={nothing} />), 'title')).toContain(SAID);
  const picture = (
    <FilmPicture
      film={film}
      width={900}
      at={0}
      chosen={null}
      says=""
      choose={nothing}
      open={nothing}
    />
  );
  expect(textOf(picture)).toContain('Answered outside');
});

it('is beside another rollout, and among the answers of a group', () => {
  const sides = [
    { name: 'a', rollout: prose },
    { name: 'b', rollout: silent },
  ] as const;
  expect(
    textOf(<BesideTable beside={besideOf(prose, silent)} sides={sides} open={nothing} />),
  ).toMatch(new RegExp(`answer ${SAID} .*no answer`));
  expect(groupFigures([prose, silent])?.answers).toEqual([
    { text: SAID, count: 1 },
    { text: 'no answer', count: 1 },
  ]);
});
