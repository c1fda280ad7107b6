import { useDeferredValue, useEffect, useMemo } from 'react';
import { useLocation } from 'wouter';
import { filmOf } from '../../../evaluate/training-film.ts';
import type { TrainStep } from '../../../records/training.ts';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import { Chart } from '../../kit/charts/Chart.tsx';
import { ChartTools } from '../../kit/charts/ChartTools.tsx';
import { ChartsTogether } from '../../kit/charts/charts-store.tsx';
import { Terms } from '../../kit/words/explain/Term.tsx';
import { plural } from '../../kit/words/format.ts';
import { openSteps } from '../store/train-actions.ts';
import { formatTrainAddress, parseTrainAddress } from '../store/train-address.ts';
import { useTrain } from '../store/train-store.ts';
import { RunBeside } from '../beside/RunBeside.tsx';
import { Film } from '../film/Film.tsx';
import { chartsOf, routerMode, type ChartGroup } from '../charts/chart-specs.ts';
import { actionsOf } from './run-words.ts';
import { ColdStart } from './ColdStart.tsx';
import { LiveStep } from './LiveStep.tsx';
import { RunHeader } from './RunHeader.tsx';
import { StepRollouts } from './StepRollouts.tsx';
import { COLLAPSE_RATIO, collapseText, type RewardSettings } from '../../../agent/router/reward.ts';

/** The scale ends here; a larger ratio is at its end. */
const END = 2;
/** From the left end, as CSS has it. */
const placeOf = (ratio: number): string => `${(Math.min(END, ratio) / END) * 100}%`;

/** β1/β2 beside the 5/6 line: on which side of it the printed reward collapses. */
export const CollapseScale = ({ mode }: { mode: RewardSettings }) => {
  // Without a factor of information only latency counts.
  const ratio = mode.beta2 === 0 ? Infinity : mode.beta1 / mode.beta2;
  return (
    <figure className="collapse" aria-label={`Printed router reward: ${collapseText(mode)}`}>
      <span className="fine">always web</span>
      <span className="collapse-scale" aria-hidden="true">
        <i className="collapse-line" style={{ left: placeOf(COLLAPSE_RATIO) }}>
          <span>5/6</span>
        </i>
        <i className="collapse-now" style={{ left: placeOf(ratio) }} />
      </span>
      <span className="fine">always local</span>
      <figcaption>
        {collapseText(mode)}.{' '}
        <span className="fine">
          The printed reward, equations (20) to (22), does not look at the question; the router
          collapses to one side of the 5/6 line.
        </span>
      </figcaption>
    </figure>
  );
};

/** One list for all: a new one would draw the charts again each time. */
const NO_STEPS: readonly TrainStep[] = [];

interface GroupProps {
  group: ChartGroup;
  run: RunRecord;
  /** The step whose rollouts are shown below. */
  selected: number | null;
  select: (step: number) => void;
}

/** Charts under a heading; those of routing with the scale on which the printed reward collapses. */
const Group = ({ group, run, selected, select }: GroupProps) => {
  const mode = group.name === 'Routing' ? routerMode(run.settings) : null;
  return (
    <section aria-label={group.name} className="chart-group">
      <h2>{group.name}</h2>
      {mode?.reward === 'paper' ? <CollapseScale mode={mode} /> : null}
      <div className="chart-grid">
        {group.charts.map((spec) => (
          <Chart key={spec.id} spec={spec} selected={selected} onSelect={select} />
        ))}
      </div>
    </section>
  );
};

/** Leads to a picture further down. */
const ScrollTo = ({ id, name }: { id: string; name: string }) => (
  <>
    {' · '}
    <button
      type="button"
      className="link"
      onClick={() => document.getElementById(id)?.scrollIntoView()}
    >
      {name}
    </button>
  </>
);

/** What will be here: in place of a page of empty charts. */
const ToCome = ({ groups }: { groups: readonly ChartGroup[] }) => (
  <section className="to-come" aria-label="Charts to come">
    <h2>Charts to come</h2>
    <dl>
      {groups.map(({ name, charts }) => (
        <div key={name}>
          <dt>{name}</dt>
          {charts.map(({ id, title, note }) => (
            <dd key={id}>
              <Terms>{title}</Terms>{' '}
              <span className="fine">
                <Terms>{note}</Terms>
              </span>
            </dd>
          ))}
        </div>
      ))}
    </dl>
  </section>
);

/** One run, live or past: what it does, what it learned, and the rollouts of any step. */
export const RunView = ({ run, step }: { run: RunRecord; step: number | null }) => {
  const [, go] = useLocation();
  const steps = useTrain((state) => state.steps[run.id]);
  const reading = useTrain((state) => state.reading.includes(run.id));
  const connected = useTrain((state) => state.status === 'ready');
  useEffect(() => {
    if (connected) void openSteps(run.id);
  }, [run.id, connected]);
  // Drawn when there is time: a step that arrives never holds up typing or scrolling.
  const known = useDeferredValue(steps ?? NO_STEPS);
  const film = useMemo(() => filmOf(known), [known]);
  const { status, importedStep = 0, tags } = run;
  const groups = useMemo(
    () => chartsOf(known, run.settings, { status, importedStep, tags }),
    [known, run.settings, status, importedStep, tags],
  );
  const select = useMemo(
    () => (next: number | null) =>
      go(formatTrainAddress({ ...parseTrainAddress(location.search), run: run.id, step: next }), {
        replace: true,
      }),
    [go, run.id],
  );
  const last = known.at(-1)?.step ?? 0;
  const { resume, stop } = actionsOf(run);
  // Nothing more will be here.
  const ended = !resume && !stop;
  return (
    <>
      <RunHeader run={run} steps={known} />
      {reading ? null : <LiveStep run={run} first={known.length === 0} />}
      {step === null && known.length > 0 && !reading ? (
        <p className="fine step-hint">
          Click a chart, or focus it and press ← → and Enter, to see the rollouts of a step.{' '}
          <button type="button" className="link" onClick={() => select(last)}>
            Rollouts of step {last}
          </button>
          {film ? <ScrollTo id="film" name="Training film" /> : null}
          {film && film.steps.length > 1 ? <ScrollTo id="beside" name="Before | after" /> : null}
        </p>
      ) : null}
      {reading ? (
        <p className="fine" role="status">
          Reading the {plural(run.step, 'step')} of the run …
        </p>
      ) : null}
      <ColdStart run={run} />
      {known.length === 0 && !reading && !ended && run.settings.steps > 0 ? (
        <ToCome groups={groups} />
      ) : null}
      {reading || known.length === 0 ? null : (
        <ChartsTogether>
          {/* From step 0 where there is a score before the first. */}
          <ChartTools first={known[0]?.heldOutAtStart ? 0 : (known[0]?.step ?? 1)} last={last} />
          {groups.map((group) => (
            <Group key={group.name} group={group} run={run} selected={step} select={select} />
          ))}
        </ChartsTogether>
      )}
      {reading || !film ? null : <Film run={run} film={film} />}
      {reading || !film || film.steps.length < 2 ? null : <RunBeside run={run} film={film} />}
      {step === null ? null : (
        <StepRollouts
          run={run}
          step={step}
          record={known.find((each) => each.step === step)}
          last={last}
          select={select}
        />
      )}
    </>
  );
};
