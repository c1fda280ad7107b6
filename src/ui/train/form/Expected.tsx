import { useEffect, useMemo } from 'react';
import { Link } from 'wouter';
import { headlineOf, heldOutScores } from '../../../evaluate/held-out-scores.ts';
import {
  BUILT_IN_WORLD,
  loadExpectedCurves,
  type ExpectedCurve,
  type ExpectedCurves,
} from '../../../evaluate/study/expected-curves.ts';
import type { Setup } from '../../../records/setup.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import type { TrainStep } from '../../../records/training.ts';
import { useAnswer } from '../../kit/use-answer.ts';
import { formatShare, plural } from '../../kit/words/format.ts';
import { useSetup } from '../../setup/setup-store.ts';
import { findTraining } from '../../../systems/index.ts';
import { Sparkline } from '../charts/Sparkline.tsx';
import { openSteps } from '../store/train-actions.ts';
import { formatTrainAddress } from '../store/train-address.ts';
import { changeDraft } from '../store/train-draft.ts';
import { useTrain, visibleRuns, type TrainState } from '../store/train-store.ts';
import { Terms } from '../../kit/words/explain/Term.tsx';

/** One list for all: a new one each time would be another value of the store. */
const NO_STEPS: readonly TrainStep[] = [];

/** Whether all that the measured runs had is chosen: the shipped policy, its world and its questions. */
const isAsMeasured = (setup: Setup): boolean =>
  [setup.policy, setup.local, setup.web, setup.questions].every(({ kind }) => kind === 'built-in');

interface Wanted {
  training: string;
  start: TrainSettings['start'];
}

/** In place of a curve: why none is known. */
const NotMeasured = ({ why }: { why: string }) => (
  <p className="fine" data-testid="not-measured">
    What to expect is not known: {why}
  </p>
);

/** The other start of a recipe: what it would teach, and the click that chooses it. */
const OtherStart = ({ curve }: { curve: ExpectedCurve }) => {
  const [first, last] = [curve.em[0], curve.em.at(-1)];
  if (!first || !last) return null;
  return (
    <p data-testid="other-start">
      {curve.start
        ? 'To see it learn: from the model taught not to search, '
        : 'From the model as it is, '}
      <Terms>EM</Terms> {formatShare(first[1])} → {formatShare(last[1])} in{' '}
      {plural(last[0], 'step')}.{' '}
      <button type="button" className="link" onClick={() => changeDraft('start', curve.start)}>
        Start from {curve.start ? 'that' : 'the model as it is'}
      </button>
    </p>
  );
};

/** What a study of this repository measured of the recipe and its start, or that none did. */
const MeasuredCurve = (props: {
  training: string;
  start: TrainSettings['start'];
  measured: ExpectedCurves;
}) => {
  const { policy, curves } = props.measured;
  const own = findTraining(props.training)?.variant.settings.start ?? 'searching';
  const start = (props.start ?? 'searching') === own ? undefined : props.start;
  const ofRecipe = curves.filter(({ training }) => training === props.training);
  const found = ofRecipe.find((curve) => curve.start === start);
  const other = ofRecipe.find((curve) => curve.start !== start);
  const [first, last] = [found?.em[0], found?.em.at(-1)];
  if (!found || !first || !last)
    return (
      <>
        <NotMeasured
          why={`this recipe has no run here, and no study of Forage has trained it${other ? ' from this start' : ''}.`}
        />
        {other ? <OtherStart curve={other} /> : null}
      </>
    );
  const { seeds, worlds, questions, em } = found;
  return (
    <>
      <p data-testid="measured-curve">
        To expect: {last[1] > first[1] ? null : 'no gain, '}
        <Terms>EM</Terms> {formatShare(first[1])} → {formatShare(last[1])} in{' '}
        {plural(last[0], 'step')}.{' '}
        <Sparkline
          points={em.map(([x, y]) => ({ x, y }))}
          name="held-out EM that was measured, by step"
        />{' '}
        Measured with the built-in model, {policy.id}@{policy.revision}, by n ={' '}
        {plural(questions, 'held-out dev question')}, {plural(seeds.length, 'seed')},{' '}
        {worlds.includes(BUILT_IN_WORLD)
          ? 'on this world: a run with the seed of the recipe starts at the same score'
          : 'on another world of the same kind: your run starts at a score of its own'}
        .
      </p>
      {other ? <OtherStart curve={other} /> : null}
    </>
  );
};

/** The curve to expect where nobody ran the recipe here. */
const MeasuredElsewhere = ({ training, start }: Wanted) => {
  const asMeasured = useSetup(({ setup }) => isAsMeasured(setup));
  // The curves of the studies are loaded only where they may be shown.
  const answer = useAnswer(asMeasured ? 'measured' : null, loadExpectedCurves);
  if (!asMeasured)
    return (
      <NotMeasured why="this recipe has no run here, and studies measured only the built-in model, world and questions." />
    );
  return answer.state === 'ready' ? (
    <MeasuredCurve training={training} start={start} measured={answer.value} />
  ) : null;
};

/** How the EM of a run changed; null where fewer than two scores say so. */
const changeOf = (steps: readonly TrainStep[]) => {
  const headline = headlineOf(steps);
  return headline && headline.first !== headline.last ? headline : null;
};

/** The newest run of the recipe that is over; those that are known to have fewer than two scores are passed over. */
const lastRun = ({ runs, steps, reading }: TrainState, { training, start }: Wanted) =>
  visibleRuns(runs).find(({ id, settings, step, status }) => {
    if (
      settings.preset !== training ||
      settings.start !== start ||
      step === 0 ||
      status === 'running'
    )
      return false;
    const read = reading.includes(id) ? undefined : steps[id];
    return read === undefined || changeOf(read) !== null;
  });

/** How a run of the recipe goes: the last one here, else one that was measured elsewhere, or that neither is known. */
export const Expected = (wanted: Wanted) => {
  const run = useTrain((state) => lastRun(state, wanted));
  const steps = useTrain((state) => (run ? state.steps[run.id] : undefined)) ?? NO_STEPS;
  const id = run?.id;
  useEffect(() => {
    if (id !== undefined) void openSteps(id);
  }, [id]);
  const headline = useMemo(() => changeOf(steps), [steps]);
  if (!run || !headline) return <MeasuredElsewhere {...wanted} />;
  const { first, last } = headline;
  const points = heldOutScores(steps).map(({ step, score }) => ({ x: step, y: score.em }));
  return (
    <p>
      Your last run of this recipe,{' '}
      <Link href={formatTrainAddress({ run: run.id, step: null })}>{run.name}</Link>:{' '}
      <Terms>EM</Terms> {formatShare(first.score.em)} → {formatShare(last.score.em)} in{' '}
      {plural(last.step, 'step')}{' '}
      <Sparkline points={points} name="held-out EM of that run by step" />
    </p>
  );
};
