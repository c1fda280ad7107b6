import { Button } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { equalTeachNothing } from '../../../learn/settings/idle.ts';
import { skippedWords } from '../../../learn/run/nothing-learned.ts';
import { stageAt } from '../../../learn/schedule.ts';
import type { TrainSettings } from '../../../recipes/parts/training.ts';
import { answerText } from '../../../records/outside-answer.ts';
import type { Rollout } from '../../../records/rollout.ts';
import type { TrainStep } from '../../../records/training.ts';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import { formatCount, formatNumber, formatSigned, plural } from '../../kit/words/format.ts';
import { StieWords } from '../../kit/words/explain/StieWords.tsx';
import { useAnswer, type Loaded } from '../../kit/use-answer.ts';
import { openOwnRun } from '../../rollouts/store/browse-actions.ts';
import { showRollouts } from '../../ask/store/training-step.ts';
import { isOwnRollout } from '../../../formats/rollouts/shape/imported.ts';
import { AskAtStep } from '../beside/AskAtStep.tsx';
import { trainApi } from '../store/train-store.ts';
import { groupRollouts, type RolloutGroup } from '../../ask/store/rollout-groups.ts';

/**
 * The rollouts that are kept of a step, by question. Read again for each step, since a page that
 * kept them all would hold the whole run.
 */
const useRollouts = (runId: string, step: number): Loaded<RolloutGroup[]> =>
  useAnswer(`${runId} ${step}`, async () => groupRollouts(await trainApi().rollouts(runId, step)));

/** Tone of an advantage, beside its sign in the text. */
const signOf = (advantage: number | null): string =>
  advantage === null ? '' : advantage > 0 ? ' tone-good' : advantage < 0 ? ' tone-bad' : '';

/** One rollout with what it earned; its answer is the way into it. */
const RolloutRow = (props: { rollout: Rollout; open: () => void }) => {
  const { rollout } = props;
  return (
    <tr>
      <td className="rollout-answer">
        <button type="button" className="link" onClick={props.open}>
          {answerText(rollout)}
        </button>
      </td>
      <td className="figure">{formatNumber(rollout.reward)}</td>
      <td className={`figure${signOf(rollout.advantage)}`}>{formatSigned(rollout.advantage)}</td>
      <td className="figure">{rollout.metrics ? (rollout.metrics.em === 1 ? '✓' : '✗') : '–'}</td>
      <td className="figure wide-only">{formatNumber(rollout.metrics?.f1)}</td>
      <td className="figure wide-only">{formatNumber(rollout.metrics?.searches)}</td>
      <td className="figure">{formatNumber(rollout.metrics?.tokens)}</td>
    </tr>
  );
};

/**
 * Whether the rollouts of a group of equal rewards taught nothing: their advantages say it where they are known, and the
 * settings where they had none.
 */
const taughtNothing = (
  { varies, mean, rollouts }: RolloutGroup,
  settings: TrainSettings,
  at: number,
) =>
  !varies &&
  mean !== null &&
  equalTeachNothing(settings, at) &&
  rollouts.every(({ advantage }) => advantage === null || advantage === 0);

/** A question with its rollouts, and whether their rewards are all equal. */
const GroupRows = (props: {
  group: RolloutGroup;
  settings: TrainSettings;
  /** Stage of the step, from 0. */
  stage: number;
  open: (index: number) => void;
}) => {
  const { group, settings, stage } = props;
  const first = group.rollouts[0];
  return (
    <tbody>
      <tr className="group-row">
        <th scope="rowgroup" colSpan={7}>
          <span>{first?.question.text}</span>{' '}
          <span className="fine">
            gold {first?.question.answers.join(' / ')} · reward {formatNumber(group.mean)}
            {group.varies || group.mean === null ? '' : ' for all'}
            {taughtNothing(group, settings, stage) ? ': no signal' : ''}
          </span>{' '}
          <button type="button" className="link" onClick={() => props.open(0)}>
            Open these {group.rollouts.length}
          </button>
        </th>
      </tr>
      {group.rollouts.map((rollout, index) => (
        <RolloutRow key={rollout.id} rollout={rollout} open={() => props.open(index)} />
      ))}
    </tbody>
  );
};

const HEADS = [
  ['answer', ''],
  ['reward', 'figure'],
  ['advantage', 'figure'],
  ['EM', 'figure'],
  ['F1', 'figure wide-only'],
  ['searches', 'figure wide-only'],
  ['tokens', 'figure'],
] as const;

/**
 * The first questions at once, the rest on demand; `key` of the caller starts again with each step.
 */
const Groups = ({
  run,
  step,
  groups,
}: {
  run: RunRecord;
  step: number;
  groups: RolloutGroup[];
}) => {
  const [, go] = useLocation();
  const stage = stageAt(run.settings.stages, step);
  // A step of hundreds of questions is drawn whole only where that is asked for.
  const [shown, setShown] = useState(8);
  const open = (group: RolloutGroup, index: number) => {
    // Dumps of another trainer have no events: Ask could not show what happened in them.
    if (!group.rollouts.every(isOwnRollout)) return openOwnRun(run.id, run.name, go);
    const source = { runId: run.id, name: run.name, step, group: group.id, run };
    void showRollouts(group.rollouts, source, index, go);
  };
  return (
    <>
      <table className="rollout-table">
        <thead>
          <tr>
            {HEADS.map(([name, className]) => (
              <th key={name} scope="col" className={className}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        {groups.slice(0, shown).map((group) => (
          <GroupRows
            key={group.id}
            group={group}
            settings={run.settings}
            stage={stage}
            open={(index) => open(group, index)}
          />
        ))}
      </table>
      {groups.length > shown ? (
        <Button size="xs" variant="subtle" onClick={() => setShown(groups.length)}>
          Show the other {plural(groups.length - shown, 'question')}
        </Button>
      ) : null}
    </>
  );
};

interface StepRolloutsProps {
  run: RunRecord;
  step: number;
  /** Undefined where the step was not made, as by an address from elsewhere. */
  record: TrainStep | undefined;
  /** The last step that there is. */
  last: number;
  select: (step: number | null) => void;
}

/** The rollouts of one step by question, with what they earned; each opens in Ask. */
export const StepRollouts = ({ run, step, record, last, select }: StepRolloutsProps) => {
  const read = useRollouts(run.id, step);
  const [, go] = useLocation();
  const count =
    read.state === 'ready'
      ? read.value.reduce((sum, { rollouts }) => sum + rollouts.length, 0)
      : null;
  return (
    <section className="step-panel" aria-label={`Step ${step}`} id="step">
      <header>
        <h2>Step {formatCount(step)}</h2>
        <button
          type="button"
          className="link"
          disabled={step <= 1}
          onClick={() => select(step - 1)}
        >
          ← earlier
        </button>
        <button
          type="button"
          className="link"
          disabled={step >= last}
          onClick={() => select(step + 1)}
        >
          later →
        </button>
        <span className="fine grow">
          {count === null ? '' : `${plural(count, 'rollout')} kept`}
          {record && count !== null && count > 0 && count < record.rollouts
            ? ` of ${record.rollouts} drawn`
            : ''}
        </span>
        <AskAtStep run={run} step={step} question={null} />
        <button
          type="button"
          className="link"
          title="The rollouts of every step, with filter, statistics and findings"
          onClick={() => openOwnRun(run.id, run.name, go)}
        >
          all steps in a table
        </button>
        <button
          type="button"
          className="link"
          aria-label="Close the step"
          onClick={() => select(null)}
        >
          ✕
        </button>
      </header>
      {record?.skipped ? <p className="note">{skippedWords(record)}.</p> : null}
      {record?.stie ? <StieWords counts={record.stie} /> : null}
      {read.state === 'loading' ? <p className="fine">Reading the rollouts …</p> : null}
      {read.state === 'failed' ? (
        <p role="alert" className="tone-bad">
          ⚠ The rollouts could not be read: {read.message}
        </p>
      ) : null}
      {read.state === 'ready' && read.value.length === 0 ? (
        <p className="fine">
          No rollouts are kept for this step: they were deleted to free storage, or the run was
          imported without them. Its numbers are in the charts.
        </p>
      ) : null}
      {read.state === 'ready' && read.value.length > 0 ? (
        <Groups key={`${run.id} ${step}`} run={run} step={step} groups={read.value} />
      ) : null}
    </section>
  );
};
