import { Button, NumberInput } from '@mantine/core';
import type { RetrievalChange } from '../../../evaluate/systems/spec.ts';
import { PickField } from '../../kit/PickField.tsx';
import { useSetup } from '../../setup/setup-store.ts';
import { useEvaluateDraft } from '../store/evaluate-draft.ts';

const SOURCES = ['local', 'web', 'both', 'router'] as const;
const AS_IT_HAS = 'system’s default';

const change = (retrieval: RetrievalChange[]): void =>
  useEvaluateDraft.getState().change({ retrieval });

/** A setting without a key is system’s default. */
const without = (setting: RetrievalChange, key: keyof RetrievalChange): RetrievalChange => {
  const { [key]: _, ...rest } = setting;
  return rest;
};

/** One retrieval setting: rows of the table are multiplied by how many there are. */
interface LineProps {
  setting: RetrievalChange;
  set: (setting: RetrievalChange) => void;
  /** Null where it is the only one, as one there has to be. */
  remove: (() => void) | null;
}

/** A number of a setting; emptied, each system's own counts again. */
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

/** What is searched in place of the world’s own: the passages and the engine that are set up on Corpus. */
const OwnSources = ({ setting, set }: LineProps) => {
  const setup = useSetup((state) => state.setup);
  const own = setup.local.kind !== 'built-in' || setup.web.kind !== 'built-in';
  const used = setting.local !== undefined || setting.web !== undefined;
  // Without anything of your own the box would choose what is searched anyway.
  if (!own && !used) return null;
  return (
    <label className="check-line">
      <input
        type="checkbox"
        checked={used}
        onChange={({ currentTarget: { checked } }) =>
          set(
            checked
              ? // A copy of what is set up now: later changes on Corpus do not reach this evaluation.
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

/** How is searched; every system runs under every setting. */
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
        // With a k of its own: two equal settings would be two rows that cannot be distinguished, which is refused.
        onClick={() => change([...settings, { k: 1 + settings.length }])}
      >
        Add another setting
      </Button>
    </section>
  );
};
