import { Button, NumberInput } from '@mantine/core';
import type { RetrievalChange } from '../../../evaluate/systems/spec.ts';
import { PickField } from '../../kit/PickField.tsx';
import { useSetup } from '../../setup/setup-store.ts';
import { useEvaluateDraft } from '../store/evaluate-draft.ts';

const SOURCES = ['local', 'web', 'both', 'router'] as const;
const AS_IT_HAS = 'system’s default';

const change = (retrieval: RetrievalChange[]): void =>
  useEvaluateDraft.getState().change({ retrieval });

/** An absent key means the system’s default. */
const without = (setting: RetrievalChange, key: keyof RetrievalChange): RetrievalChange => {
  const { [key]: _, ...rest } = setting;
  return rest;
};

/** One retrieval setting; the table has one row per system and setting. */
interface LineProps {
  setting: RetrievalChange;
  set: (setting: RetrievalChange) => void;
  /** Null for the only setting, which cannot be removed. */
  remove: (() => void) | null;
}

/** A number of a setting; empty: each system's default. */
const NumberChange = (
  props: LineProps & { name: 'k' | 'maxSearches'; label: string; min: number; max: number },
) => {
  const { setting, set, name, label, min, max } = props;
  return (
    <NumberInput
      size="xs"
      label={label}
      placeholder={AS_IT_HAS}
      min={min}
      max={max}
      allowDecimal={false}
      value={setting[name] ?? ''}
      onChange={(value) =>
        set(typeof value === 'number' ? { ...setting, [name]: value } : without(setting, name))
      }
    />
  );
};

/** Searches the passages and the engine chosen on Corpus instead of the world’s own. */
const OwnSources = ({ setting, set }: LineProps) => {
  const setup = useSetup((state) => state.setup);
  const own = setup.local.kind !== 'built-in' || setup.web.kind !== 'built-in';
  const used = setting.local !== undefined || setting.web !== undefined;
  // Without custom sources the box would have no effect.
  if (!own && !used) return null;
  return (
    <label className="check-line">
      <input
        type="checkbox"
        checked={used}
        onChange={({ currentTarget: { checked } }) =>
          set(
            checked
              ? // A copy of the current sources: later changes on Corpus do not affect this evaluation.
                { ...setting, local: setup.local, web: setup.web }
              : without(without(setting, 'local'), 'web'),
          )
        }
      />
      Search the sources chosen on Corpus
    </label>
  );
};

const Line = (props: LineProps) => {
  const { setting, set, remove } = props;
  return (
    <li className="question-line">
      <NumberChange {...props} name="k" label="Passages per search" min={1} max={20} />
      <NumberChange {...props} name="maxSearches" label="Searches, at most" min={0} max={64} />
      <PickField
        label="Source"
        values={SOURCES}
        value={setting.source}
        none={AS_IT_HAS}
        onNone={() => set(without(setting, 'source'))}
        onPick={(source) => set({ ...setting, source })}
      />
      <OwnSources {...props} />
      {remove ? (
        <button
          type="button"
          className="link"
          aria-label="Remove this retrieval setting"
          onClick={remove}
        >
          ✕
        </button>
      ) : null}
    </li>
  );
};

/** Retrieval settings; every system runs under each. */
export const RetrievalPicker = () => {
  const settings = useEvaluateDraft(({ spec }) => spec.retrieval);
  return (
    <section aria-label="Retrieval" className="chooser-part">
      <h2>Retrieval</h2>
      <ul>
        {settings.map((setting, index) => (
          <Line
            key={index}
            setting={setting}
            set={(next) => change(settings.map((one, at) => (at === index ? next : one)))}
            remove={
              settings.length > 1 ? () => change(settings.filter((_, at) => at !== index)) : null
            }
          />
        ))}
      </ul>
      <Button
        size="xs"
        variant="default"
        // A different k: two equal settings would be indistinguishable rows, which is refused.
        onClick={() => change([...settings, { k: 1 + settings.length }])}
      >
        Add another setting
      </Button>
    </section>
  );
};
