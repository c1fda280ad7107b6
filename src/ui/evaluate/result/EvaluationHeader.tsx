import { Button, Menu, TextInput } from '@mantine/core';
import { Link } from 'wouter';
import type { EvaluationRecord } from '../../../lab/contract/records/evaluations.ts';
import type { EvaluationProgress, TableRequest } from '../../../lab/contract/evaluations.ts';
import type { EvaluationResult } from '../../../evaluate/systems/result.ts';
import { TABLE_FORMATS, type TableFormat } from '../../../evaluate/systems/table/shape.ts';
import { CopyButton } from '../../kit/CopyButton.tsx';
import { Icon } from '../../kit/Icon.tsx';
import { formatDuration } from '../../kit/words/duration.ts';
import { formatCount, plural } from '../../kit/words/format.ts';
import {
  downloadEvaluation,
  downloadTable,
  pauseEvaluation,
  resumeEvaluation,
} from '../store/evaluate-actions.ts';
import { EVALUATE, NEW_EVALUATION } from '../store/evaluate-address.ts';
import { runningEvaluation, runsElsewhere, useEvaluate } from '../store/evaluate-store.ts';
import { useEvaluateDraft } from '../store/evaluate-draft.ts';
import { EvaluationBadge, phaseWords } from './status.tsx';
import { useRename } from '../store/use-rename.ts';

/** The name as heading; a click edits it. */
const Name = ({ record }: { record: EvaluationRecord }) => {
  const { text, setText, commit } = useRename(record);
  return text === null ? (
    <>
      <h1>{record.name}</h1>
      <button type="button" className="link" onClick={() => setText(record.name)}>
        rename
      </button>
    </>
  ) : (
    <TextInput
      size="xs"
      aria-label="Name of the evaluation"
      autoFocus
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
        if (event.key === 'Escape') setText(null);
      }}
    />
  );
};

const FORMAT_NAMES: Record<TableFormat, string> = {
  markdown: 'Table, Markdown',
  csv: 'Table, CSV',
  latex: 'Table, LaTeX',
};

/** Exports of the table (with its grouping and reference) and of the whole evaluation. */
const Exports = ({ id, request }: { id: string; request: TableRequest }) => (
  <Menu position="bottom-end" withinPortal={false}>
    <Menu.Target>
      <Button size="xs" variant="default">
        Export
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      {TABLE_FORMATS.map((format) => (
        <Menu.Item
          key={format}
          onClick={() => void downloadTable(id, format, { ...request, times: true })}
        >
          {FORMAT_NAMES[format]}
        </Menu.Item>
      ))}
      <Menu.Item onClick={() => void downloadEvaluation(id)}>
        Everything (JSON, can be run again)
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);

/** Pause while it runs; otherwise continue, which retries failed rollouts; nothing when all are done. */
const Buttons = ({ record, pausing }: { record: EvaluationRecord; pausing: boolean }) => {
  const device = useEvaluateDraft((state) => state.device);
  // Takes only the name: the record changes with every rollout.
  const other = useEvaluate((state) => {
    const running = runningEvaluation(state);
    return running && running.id !== record.id ? running.name : undefined;
  });
  if (record.status === 'running')
    return (
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="pause" size={12} />}
        disabled={pausing}
        title="Finishes the current rollouts first; finished rollouts are kept"
        onClick={() => void pauseEvaluation(record.id)}
      >
        {pausing ? 'Pausing after the current rollouts' : 'Pause'}
      </Button>
    );
  if (record.status === 'finished' && record.failed === 0) return null;
  return (
    <Button
      size="xs"
      leftSection={<Icon name="play" size={12} />}
      disabled={other !== undefined}
      title={
        other === undefined
          ? 'Finished rollouts are kept; failed ones are tried again'
          : `“${other}” is running; one evaluation at a time`
      }
      onClick={() => void resumeEvaluation(record.id, device)}
    >
      {record.status === 'finished' ? 'Retry failed rollouts' : 'Continue'}
    </Button>
  );
};

/** Rollouts done, time left, then answers judged; hidden when finished. */
const Progress = (props: {
  record: EvaluationRecord;
  progress: EvaluationProgress | undefined;
  result: EvaluationResult | undefined;
}) => {
  const { record, progress, result } = props;
  const live = record.status === 'running' ? progress : undefined;
  // `planned` is 0 until the worlds are loaded; the progress has the number first.
  const total = live?.phase === 'judging' ? live.total : Math.max(record.planned, live?.total ?? 0);
  // From the progress: another evaluation may have added shared rollouts that no record counts.
  const done = live ? live.done : (result?.rollouts.length ?? record.done);
  if (record.status === 'finished') return null;
  return (
    <div className="evaluation-progress">
      <span>
        <b>{formatCount(done)}</b> / {total > 0 ? formatCount(total) : '…'}{' '}
        {live?.phase === 'judging' ? 'answers judged' : 'rollouts'}
        {live && live.reused > 0 ? (
          <span className="fine"> · {formatCount(live.reused)} reused</span>
        ) : null}
      </span>
      <progress
        className="bar"
        aria-label="Rollouts done"
        // An indeterminate bar: the total is unknown.
        {...(total > 0 && { max: total, value: done })}
      />
      <span className="fine">
        {live
          ? [
              phaseWords(live),
              live.etaSeconds === null
                ? 'time left appears after the first rollouts'
                : `≈ ${formatDuration(live.etaSeconds)} to go`,
            ].join(' · ')
          : ''}
      </span>
    </div>
  );
};

/** Why the whole evaluation stopped; single failed rollouts are listed below. */
const Failed = ({ record }: { record: EvaluationRecord }) =>
  record.failure && record.status !== 'running' ? (
    <div className="failure" role="alert">
      <b>⚠ The evaluation ended after {plural(record.done, 'rollout')}</b>
      <p>{record.failure.message}</p>
      <p className="fine">Every finished rollout is kept. “Continue” runs the missing ones.</p>
      {record.failure.detail ? (
        <details>
          <summary>Details</summary>
          <pre>{record.failure.detail}</pre>
        </details>
      ) : null}
    </div>
  ) : null;

/** Failures that are listed; the rest are counted. */
const MOST_LISTED = 20;

/** Failed rollouts, grouped by error. */
const FailedRollouts = ({ result }: { result: EvaluationResult | undefined }) => {
  if (!result || result.failed.length === 0) return null;
  const titles = new Map(result.systems.map(({ id, title }) => [id, title]));
  return (
    <details className="note">
      <summary>⚠ {plural(result.failed.length, 'rollout')} failed and not in the table</summary>
      <ul>
        {result.failed.slice(0, MOST_LISTED).map(({ system, question, seed, message }) => (
          <li key={`${system} ${question} ${seed}`} className="fine">
            {titles.get(system) ?? system}, {question}, seed {seed}: {message}
          </li>
        ))}
      </ul>
      {result.failed.length > MOST_LISTED ? (
        <p className="fine">and {formatCount(result.failed.length - MOST_LISTED)} more</p>
      ) : null}
    </details>
  );
};

interface HeaderProps {
  record: EvaluationRecord;
  /** Undefined until it is loaded and planned. */
  result: EvaluationResult | undefined;
  /** How the table is shown and exported. */
  request: TableRequest;
}

/** Name, state, progress, and what can be done with an evaluation. */
export const EvaluationHeader = ({ record, result, request }: HeaderProps) => {
  const progress = useEvaluate((state) => state.progress[record.id]);
  const elsewhere = useEvaluate((state) => runsElsewhere(state, record));
  return (
    <header className="evaluation-head">
      <p className="fine">
        <Link href={EVALUATE}>All evaluations</Link> · <Link href={NEW_EVALUATION}>New one</Link>
      </p>
      <div className="page-bar">
        <Name record={record} />
        <EvaluationBadge status={record.status} />
        {result ? (
          <span className="fine">
            {plural(result.systems.length, 'system')} ·{' '}
            {plural(result.questions.length, 'question')} · {plural(result.seeds.length, 'seed')} ·{' '}
            {plural(result.rollouts.length, 'rollout')}
            {record.hash === null ? '' : ` · ${record.hash.slice(0, 12)}`}
          </span>
        ) : null}
        <span className="grow" />
        <CopyButton label="Copy the address" text={() => location.href} />
        <Exports id={record.id} request={request} />
        <Buttons record={record} pausing={progress?.pausing === true} />
      </div>
      <Progress record={record} progress={progress} result={result} />
      <Failed record={record} />
      <div role="status">
        {elsewhere ? (
          <p className="note">
            This evaluation is running in another tab; the buttons here control it.
          </p>
        ) : null}
        {record.notice === null ? null : <p className="note">{record.notice}</p>}
      </div>
      <FailedRollouts result={result} />
    </header>
  );
};
