import { Button, Checkbox, TextInput, Popover } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { withoutEnding } from '../../../formats/rollouts/shape/names.ts';
import type { ExportFormat, BrowseResult } from '../../../lab/contract/rollouts.ts';
import type { FileRecord, SavedView } from '../../../lab/contract/records/rollout-files.ts';
import { labelled } from '../../kit/labelled.tsx';
import { formatCount } from '../../kit/words/format.ts';
import { TimeLeft } from '../../kit/words/TimeLeft.tsx';
import { fileStem, saveFile } from '../../kit/page/save-file.ts';
import { attempt, reloadViews, removeView, saveView } from '../store/browse-actions.ts';
import type { BrowseAddress } from '../store/browse-address.ts';
import { useRollouts } from '../store/rollouts-store.ts';
import { lab } from '../../lab/connection.ts';
import { allColumns, columnOf } from '../table/columns.ts';

/** See `FilePage`: view changes are address changes. */
type Change = (change: Partial<BrowseAddress>) => void;

/** A button with a small panel under it. */
const Popup = (props: {
  name: string;
  note?: string;
  children: (close: () => void) => ReactNode;
}) => {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="bottom-end"
      shadow="md"
      trapFocus
      returnFocus
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        <Button
          size="compact-xs"
          variant="default"
          title={props.note}
          onClick={() => setOpen(!open)}
        >
          {props.name}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs" className="popup" aria-label={props.name}>
        {/* In a portal, outside the scope of this page's styles. */}
        <div className="at at-rollouts">{props.children(() => setOpen(false))}</div>
      </Popover.Dropdown>
    </Popover>
  );
};

/** Chooses and orders the columns, with buttons instead of dragging, for keyboard and touch. */
export const ColumnsMenu = (props: {
  shown: readonly string[];
  clauses: readonly string[];
  change: Change;
}) => {
  const { shown, clauses, change } = props;
  const toggle = (name: string): void => {
    const next = shown.includes(name) ? shown.filter((one) => one !== name) : [...shown, name];
    // A table without columns could not be used to get one back.
    change({ columns: next.length === 0 ? ['question'] : next });
  };
  const move = (name: string, by: -1 | 1): void => {
    const at = shown.indexOf(name);
    const to = at + by;
    if (at < 0 || to < 0 || to >= shown.length) return;
    const next = [...shown];
    [next[at], next[to]] = [next[to]!, next[at]!];
    change({ columns: next });
  };
  const names = [...shown, ...allColumns(clauses).filter((name) => !shown.includes(name))];
  return (
    <Popup name="Columns" note="Choose the table’s columns">
      {() => (
        <>
          <ul className="column-list" aria-label="Columns">
            {names.map((name) => {
              const { title, note } = columnOf(name);
              const at = shown.indexOf(name);
              return (
                <li key={name}>
                  <Checkbox
                    size="xs"
                    {...labelled(title)}
                    title={note}
                    checked={at >= 0}
                    onChange={() => toggle(name)}
                  />
                  <span className="grow" />
                  {at < 0 ? null : (
                    <>
                      <button
                        type="button"
                        className="link"
                        disabled={at === 0}
                        aria-label={`Move ${title} left`}
                        onClick={() => move(name, -1)}
                      >
                        ←
                      </button>
                      <button
                        type="button"
                        className="link"
                        disabled={at === shown.length - 1}
                        aria-label={`Move ${title} right`}
                        onClick={() => move(name, 1)}
                      >
                        →
                      </button>
                    </>
                  )}
                </li>
              );
            })}
          </ul>
          <button type="button" className="link" onClick={() => change({ columns: null })}>
            Default columns
          </button>
        </>
      )}
    </Popup>
  );
};

const ViewsList = (props: { address: BrowseAddress; change: Change; close: () => void }) => {
  const { address, change, close } = props;
  const views = useRollouts((state) => state.views);
  const [name, setName] = useState('');
  useEffect(() => void reloadViews(), []);
  const open = ({ filter, columns, sort, group = [] }: SavedView): void => {
    change({ filter, columns: columns.length > 0 ? columns : null, sort, group, view: 'table' });
    close();
  };
  const save = (): void => {
    const { filter, columns, sort, group } = address;
    const shown = { filter, columns: [...(columns ?? [])], sort, group: [...group] };
    void saveView({ name: name.trim(), ...shown });
    setName('');
  };
  return (
    <>
      {views.length === 0 ? (
        <p className="fine">
          No saved views. A view stores the filter, order, grouping and columns.
        </p>
      ) : (
        <ul className="column-list" aria-label="Saved views">
          {views.map((view) => (
            <li key={view.name}>
              <button type="button" className="link ellipsis" onClick={() => open(view)}>
                {view.name}
              </button>
              <span className="fine ellipsis grow">{view.filter}</span>
              <button
                type="button"
                className="link"
                aria-label={`Remove the view ${view.name}`}
                onClick={() => void removeView(view.name)}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        className="view-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') save();
        }}
      >
        <TextInput
          size="xs"
          aria-label="Name of the view"
          placeholder="Name the current view"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button size="xs" type="submit" disabled={name.trim() === ''}>
          Save
        </Button>
      </form>
    </>
  );
};

/** Saved views, stored in this browser for all files. */
export const ViewsMenu = (props: { address: BrowseAddress; change: Change }) => (
  <Popup name="Views" note="Saved filters with order, groups and columns">
    {(close) => <ViewsList {...props} close={close} />}
  </Popup>
);

/** Export formats, with what they omit or require of the file name. */
const EXPORTS: readonly { format: ExportFormat; name: string; note: string; end: string }[] = [
  {
    format: 'forage',
    name: 'JSONL, Forage',
    note: 'forage.rollout/1, complete records',
    end: 'jsonl',
  },
  {
    format: 'verl',
    name: 'JSONL, verl',
    note: 'input, output, gts, score, step; file named by its first step, as verl’s viewer expects',
    end: 'jsonl',
  },
  {
    format: 'rl-logging-board',
    name: 'JSONL, RLLoggingBoard',
    note: 'per-token columns; token texts if the model’s tokenizer is on this device',
    end: 'jsonl',
  },
  { format: 'csv', name: 'CSV', note: 'the table’s columns, unrounded', end: 'csv' },
  { format: 'markdown', name: 'Markdown table', note: 'the table’s columns', end: 'md' },
  { format: 'latex', name: 'LaTeX table', note: 'the table’s columns, booktabs', end: 'tex' },
];

/** Texts of tokens from the loaded policy's tokenizer; no other is available. */
const spell = (policy: string, ids: number[]): Promise<string[] | null> =>
  lab().ask.spell(policy, ids);

/**
 * Name of the exported file. verl's viewer opens every `*.jsonl` of a folder and reads the step from
 * its name.
 */
const fileName = async (
  { id, name }: FileRecord,
  { order }: BrowseResult,
  format: ExportFormat,
  end: string,
): Promise<string> => {
  if (format === 'verl') {
    const [first] = await lab().rollouts.rowsAt(id, [order[0] ?? 0]);
    return `${Math.trunc(first?.row.numbers.step ?? 0)}.${end}`;
  }
  return `${fileStem(withoutEnding(name))}-${order.length}.${end}`;
};

/** Too many rows for a document table. */
const MANY = 500;

/** Exports the rollouts of an order. Runs in the worker; can be cancelled. */
export const ExportMenu = (props: {
  name?: string;
  file: FileRecord;
  selected: BrowseResult;
  columns: readonly string[];
}) => {
  const { name = 'Export', file, selected, columns } = props;
  /** Exported rollouts so far; null if no export is running. */
  const [written, setWritten] = useState<number | null>(null);
  const busy = written !== null;
  const save = async (format: ExportFormat, end: string): Promise<void> => {
    setWritten(0);
    await attempt('The selection could not be exported', async () => {
      const { rollouts } = lab();
      const { order } = selected;
      const blob = await rollouts.exportRows(
        'export',
        file.id,
        order,
        format,
        columns,
        spell,
        // Progress messages may arrive after the file itself.
        (done) => setWritten((now) => (now === null ? null : done)),
      );
      if (blob) saveFile(await fileName(file, selected, format, end), blob);
    });
    setWritten(null);
  };
  const count = selected.order.length;
  return (
    <Popup name={name} note="In the order of the table">
      {(close) => (
        <>
          <p className="fine">
            {busy ? (
              <>
                Writing, {formatCount(written)} of {formatCount(count)}
                <TimeLeft of={file.id} share={written / count} />{' '}
                <progress
                  className="bar thin"
                  aria-label="Rollouts written"
                  max={count}
                  value={written}
                />{' '}
                <button
                  type="button"
                  className="link"
                  onClick={() => void lab().rollouts.cancel('export')}
                >
                  Cancel
                </button>
              </>
            ) : (
              `${formatCount(count)} rollouts${count > MANY ? '; the table will be long' : ''}`
            )}
          </p>
          <ul className="column-list" aria-label="Formats">
            {EXPORTS.map(({ format, name: title, note, end }) => (
              <li key={format}>
                <button
                  type="button"
                  className="link"
                  disabled={busy || count === 0}
                  onClick={() => void save(format, end).then(close)}
                >
                  {title}
                </button>
                <span className="fine">{note}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Popup>
  );
};
