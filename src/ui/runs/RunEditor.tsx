import { Button, TextInput, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { RunRecord } from '../../lab/contract/records/runs.ts';
import type { DroppedKind } from '../../lab/contract/training.ts';
import { formatBytes, formatCount } from '../kit/words/format.ts';
import { dropOf, editRun, exportRun } from '../train/store/train-actions.ts';
import { ExportButton } from '../setup/export/ExportButton.tsx';
import { Again } from '../train/run/Again.tsx';
import { hasAdapter } from '../train/run/run-words.ts';
import { Downloading, Downloads } from './Downloads.tsx';
import { parseTags } from './figures.ts';

/** Saves on blur or Enter; Escape discards. */
const SavedField = (props: {
  label: string;
  value: string;
  placeholder?: string;
  save: (text: string) => void;
}) => {
  const [text, setText] = useState<string | null>(null);
  const commit = () => {
    if (text !== null && text.trim() !== props.value) props.save(text.trim());
    setText(null);
  };
  return (
    <TextInput
      size="xs"
      label={props.label}
      placeholder={props.placeholder}
      maxLength={200}
      value={text ?? props.value}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
        if (event.key === 'Escape') setText(null);
      }}
    />
  );
};

/** Free-text notes on a run; saved on blur. */
const Notes = ({ run }: { run: RunRecord }) => {
  const [text, setText] = useState<string | null>(null);
  const commit = () => {
    if (text !== null && text !== run.notes) void editRun(run.id, { notes: text });
    setText(null);
  };
  return (
    <Textarea
      size="xs"
      className="whole"
      label="Notes"
      autosize
      minRows={2}
      maxRows={10}
      maxLength={4000}
      value={text ?? run.notes}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={commit}
    />
  );
};

/**
 * Rollouts of past steps and their adapters take most of a run’s space; charts and the last snapshot
 * do not need them.
 */
const FreeSpace = ({ run, what }: { run: RunRecord; what: DroppedKind }) => {
  const [freed, setFreed] = useState<number | null>(null);
  // Confirmed first, unlike other deletions, because it cannot be undone.
  const [asked, setAsked] = useState(false);
  const drop = () => {
    setAsked(false);
    void dropOf(run.id, what).then(setFreed);
  };
  if (asked)
    return (
      <span role="group" aria-label={`Delete the ${what}`}>
        This cannot be undone.{' '}
        <button type="button" className="link" onClick={drop}>
          Delete the {what}
        </button>
        {' · '}
        <button type="button" className="link" autoFocus onClick={() => setAsked(false)}>
          Keep them
        </button>
      </span>
    );
  return (
    <span>
      <button
        type="button"
        className="link"
        title={
          what === 'rollouts'
            ? 'Frees storage; steps, charts and snapshots stay'
            : 'Frees storage; Ask can then only use the last two snapshots'
        }
        onClick={() => setAsked(true)}
      >
        Delete the {what} of past steps
      </button>{' '}
      <span className="fine" role="status">
        {freed === null ? '' : `${formatBytes(freed)} freed`}
      </span>
    </span>
  );
};

/** A finished run can be continued for as many steps again. */
const stepsThere = ({ step, settings }: RunRecord): number =>
  settings.steps > step ? settings.steps : 2 * step;

const noAdapterYet = ({ checkpointStep, step, untrained }: RunRecord): string => {
  if (checkpointStep === null) return 'No snapshot yet';
  return untrained && step > 0 ? 'No step had a gradient' : 'No update yet';
};

/** Edits a run, and exports it. */
export const RunEditor = ({ run }: { run: RunRecord }) => (
  <div className="row-editor">
    <SavedField
      label="Name"
      value={run.name}
      save={(name) => name !== '' && void editRun(run.id, { name })}
    />
    <SavedField
      label="Tags"
      placeholder="separated by commas"
      value={run.tags.join(', ')}
      save={(text) => void editRun(run.id, { tags: parseTags(text) })}
    />
    <Notes run={run} />
    <div className="whole editor-actions">
      <Button size="xs" variant="default" onClick={() => void exportRun(run.id)}>
        Export the run (JSON)
      </Button>
      <Downloads run={run} />
      <ExportButton
        subject={() => ({ kind: 'run', runId: run.id, steps: stepsThere(run) })}
        name={run.name}
      />
    </div>
    <Downloading run={run} />
    <div className="whole editor-actions">
      <Again run={run} />
      <FreeSpace run={run} what="rollouts" />
      <FreeSpace run={run} what="adapters" />
      <span className="fine">
        {!hasAdapter(run)
          ? `${noAdapterYet(run)}, so there is no adapter to export. `
          : `Snapshot of step ${run.checkpointStep}. `}
        {run.policy.id} {run.policy.revision.slice(0, 12)},{' '}
        {run.setup?.questions.kind === 'collections'
          ? `${formatCount(run.world.questions)} imported questions`
          : `world of seed ${run.world.seed}`}
      </span>
    </div>
  </div>
);
