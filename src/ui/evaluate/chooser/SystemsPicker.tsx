import { Checkbox, TextInput } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
import { PickButton } from '../../kit/PickButton.tsx';
import { UndoBar } from '../../kit/UndoBar.tsx';
import { formatCount } from '../../kit/words/format.ts';
import { importCustoms, restoreCustom } from '../store/custom-actions.ts';
import { idOf, useEvaluateDraft } from '../store/evaluate-draft.ts';
import { useEvaluate } from '../store/evaluate-store.ts';
import { CustomEditor } from './CustomEditor.tsx';
import { SystemCard } from './SystemCard.tsx';
import {
  ablationEntries,
  customEntry,
  systemGroups,
  withTicked,
  type SystemEntry,
  type SystemGroup,
} from './system-groups.ts';

/** Stable functions: cards render only when their selection changes. */
interface GroupProps {
  group: SystemGroup;
  ticked: ReadonlySet<string>;
  tick: (entries: readonly SystemEntry[], ticked: boolean) => void;
  edit: (entry: SystemEntry) => void;
  ablate: (entry: SystemEntry) => void;
}

/** Systems of one kind. The box in its head selects or clears all. */
const Group = ({ group, ticked, tick, edit, ablate }: GroupProps) => {
  const { name, entries } = group;
  const count = entries.filter(({ id }) => ticked.has(id)).length;
  const tickOne = useCallback((entry: SystemEntry, now: boolean) => tick([entry], now), [tick]);
  return (
    <fieldset className="system-group">
      <legend>
        <Checkbox
          size="xs"
          label={`${name} (${formatCount(count)} of ${formatCount(entries.length)})`}
          checked={count === entries.length}
          indeterminate={count > 0 && count < entries.length}
          onChange={() => tick(entries, count < entries.length)}
        />
      </legend>
      <ul className="system-cards">
        {entries.map((entry) => (
          <SystemCard
            key={entry.id}
            entry={entry}
            ticked={ticked.has(entry.id)}
            tick={tickOne}
            edit={edit}
            ablate={ablate}
          />
        ))}
      </ul>
    </fieldset>
  );
};

/** Deleted custom systems that can be restored. */
const Undo = () => {
  const removed = useEvaluate((state) => state.removedSystems);
  return (
    <UndoBar
      removed={removed.map(({ id, title }) => ({ id, name: title }))}
      restore={(id) => void restoreCustom(id)}
      note="Undo is possible until you reload."
    />
  );
};

/** The systems to compare, in the order of selection. */
export const SystemsPicker = () => {
  const chosen = useEvaluateDraft(({ spec }) => spec.systems);
  const customs = useEvaluate((state) => state.customs);
  const [filter, setFilter] = useState('');
  const [editing, setEditing] = useState<SystemEntry | null>(null);
  const groups = useMemo(() => systemGroups(customs, filter), [customs, filter]);
  const ticked = useMemo(() => new Set(chosen.map(idOf)), [chosen]);
  const tick = useCallback((entries: readonly SystemEntry[], now: boolean) => {
    const { spec, change } = useEvaluateDraft.getState();
    change({ systems: withTicked(spec.systems, entries, now) });
  }, []);
  const ablate = useCallback(
    (entry: SystemEntry) => tick([entry, ...ablationEntries(entry)], true),
    [tick],
  );
  const take = async (files: readonly File[]): Promise<void> => {
    const imported = await importCustoms(files);
    // Selects the requested systems and clears the filter that may hide them.
    if (imported.length > 0) setFilter('');
    tick(imported.flatMap(customEntry), true);
  };
  // Selected without being saved, such as ablations.
  const unsaved = chosen.filter(
    (choice) => typeof choice !== 'string' && !customs.some(({ id }) => id === choice.id),
  );
  return (
    <section aria-label="Systems" className="chooser-part">
      <h2>Systems</h2>
      <div className="form-line">
        <TextInput
          size="xs"
          label="Find"
          placeholder="a name, a part, an arXiv number"
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        <PickButton
          field="Systems as JSON"
          accept="application/json,.json"
          size="xs"
          variant="default"
          title="A shared system (JSON); unknown parts are refused by name"
          onFiles={(files) => void take(files)}
        >
          Import a system
        </PickButton>
        <span className="fine">
          {formatCount(chosen.length)} selected
          {chosen.length > 0 ? (
            <>
              {' '}
              <button
                type="button"
                className="link"
                onClick={() => useEvaluateDraft.getState().change({ systems: [] })}
              >
                {' '}
                clear{' '}
              </button>
            </>
          ) : null}
        </span>
      </div>
      <Undo />
      {editing ? (
        <CustomEditor key={editing.id} entry={editing} close={() => setEditing(null)} />
      ) : null}
      {unsaved.length > 0 ? (
        <p className="choice-line">
          <span className="fine">Also selected:</span>
          {unsaved.map((choice) =>
            typeof choice === 'string' ? null : (
              <span key={choice.id} className="badge">
                {choice.title}
                <button
                  type="button"
                  className="link"
                  aria-label={`Remove ${choice.title}`}
                  onClick={() =>
                    useEvaluateDraft
                      .getState()
                      .change({ systems: chosen.filter((one) => one !== choice) })
                  }
                >
                  ✕
                </button>
              </span>
            ),
          )}
        </p>
      ) : null}
      {groups.length === 0 ? <p className="fine">No system matches.</p> : null}
      {groups.map((group) => (
        <Group
          key={group.name}
          group={group}
          ticked={ticked}
          tick={tick}
          edit={setEditing}
          ablate={ablate}
        />
      ))}
    </section>
  );
};
