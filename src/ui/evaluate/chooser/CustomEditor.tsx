import { Button, TextInput, Textarea } from '@mantine/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import {
  duplicateOf,
  freeId,
  settingsOf,
  type CustomSystem,
} from '../../../evaluate/systems/custom.ts';
import { messageOf } from '../../../base/errors.ts';
import { RECIPES } from '../../../systems/index.ts';
import { plural } from '../../kit/words/format.ts';
import { downloadCustom, removeCustom, saveCustom } from '../store/custom-actions.ts';
import { useEvaluateDraft } from '../store/evaluate-draft.ts';
import { useEvaluate } from '../store/evaluate-store.ts';
import { SettingInput } from './SettingInput.tsx';
import { settingParts, valueAt, withValue, type SettingPart } from './setting-fields.ts';
import { withTicked, type SystemEntry } from './system-groups.ts';

interface PartProps {
  part: SettingPart;
  system: CustomSystem;
  /** The recipe's complete settings: the values of unchanged fields. */
  original: unknown;
  /** Sets a value at a path of the settings; undefined removes the override. */
  change: (path: string, value: unknown) => void;
}

/** A part of the loop, folded while it has no changes. */
const Part = ({ part, system, original, change }: PartProps) => {
  const changed = part.fields.filter(({ path }) => valueAt(system.changes, path) !== undefined);
  return (
    <details className="fold" open={changed.length > 0}>
      <summary>
        {part.name}
        {changed.length > 0 ? (
          <span className="tone-policy"> · {plural(changed.length, 'change')}</span>
        ) : null}
      </summary>
      <div className="setting-fields">
        {part.fields.map((field) => {
          const own = valueAt(system.changes, field.path);
          const before = valueAt(original, field.path);
          return (
            <SettingInput
              key={field.path}
              field={field}
              value={own ?? before}
              original={before}
              changed={own !== undefined}
              change={(value) => change(field.path, value)}
            />
          );
        })}
      </div>
    </details>
  );
};

/** Why the system cannot be saved; null if it can. */
const faultIn = (system: CustomSystem): string | null => {
  if (system.title.trim() === '') return 'Give it a name.';
  try {
    settingsOf(system);
    return null;
  } catch (error) {
    return messageOf(error);
  }
};

/** Edits a custom system: a copy of a recipe with changed settings, saved and shareable. */
export const CustomEditor = ({ entry, close }: { entry: SystemEntry; close: () => void }) => {
  const customs = useEvaluate((state) => state.customs);
  const [system, setSystem] = useState<CustomSystem>(() => {
    if (entry.custom) return entry.custom;
    const taken = new Set([...customs, ...RECIPES].map(({ id }) => id));
    return duplicateOf(entry.recipe, freeId(entry.recipe.id, taken), `${entry.title}, changed`);
  });
  // The lab's last error; errors of the form are found without asking the lab.
  const [problem, setProblem] = useState<string | null>(null);
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    // Scrolls into view: it opens above the cards, far from the clicked button.
    box.current?.scrollIntoView({ block: 'nearest' });
    box.current?.focus({ preventScroll: true });
  }, []);
  const change = (path: string, value: unknown) =>
    setSystem((before) => ({
      ...before,
      changes: withValue(before.changes, path, value),
    }));
  const fault = useMemo(() => faultIn(system), [system]);
  const save = async () => {
    const wrong = await saveCustom(system);
    setProblem(wrong);
    if (wrong !== null) return;
    const { spec, change: changeSpec } = useEvaluateDraft.getState();
    const saved = { ...entry, id: system.id, custom: system };
    // Selected; if it was already, its old version is replaced.
    changeSpec({ systems: withTicked(withTicked(spec.systems, [saved], false), [saved], true) });
    close();
  };
  const remove = async () => {
    const { spec, change: changeSpec } = useEvaluateDraft.getState();
    // Removed from the spec first: otherwise it would still be run.
    changeSpec({ systems: withTicked(spec.systems, [entry], false) });
    await removeCustom(system);
    close();
  };
  return (
    <section
      className="custom-editor"
      aria-label={`Change ${system.title}`}
      ref={box}
      tabIndex={-1}
    >
      <div className="form-line">
        <TextInput
          size="xs"
          label="Name"
          maxLength={200}
          value={system.title}
          onChange={(event) => setSystem({ ...system, title: event.currentTarget.value })}
        />
        <span className="fine">
          {entry.custom ? 'Yours' : 'A copy'}, based on {entry.recipe.title}. Everything you do not
          change stays as there.
        </span>
      </div>
      <Textarea
        size="xs"
        label="What it is for"
        autosize
        maxRows={6}
        maxLength={4000}
        value={system.notes}
        onChange={(event) => setSystem({ ...system, notes: event.currentTarget.value })}
      />
      <div className="setting-parts">
        {settingParts(entry.recipe.settings).map((part) => (
          <Part
            key={part.name}
            part={part}
            system={system}
            original={entry.recipe.settings}
            change={change}
          />
        ))}
      </div>
      {(problem ?? fault) === null ? null : (
        <p role="alert" className="tone-bad">
          ⚠ {problem ?? fault}
        </p>
      )}
      <div className="editor-actions">
        <Button size="xs" disabled={fault !== null} onClick={() => void save()}>
          Save and select
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={fault !== null}
          onClick={() => downloadCustom(system)}
        >
          Share (JSON)
        </Button>
        <Button size="xs" variant="default" onClick={close}>
          Close
        </Button>
        {entry.custom ? (
          <button type="button" className="link" onClick={() => void remove()}>
            Delete
          </button>
        ) : null}
      </div>
    </section>
  );
};
