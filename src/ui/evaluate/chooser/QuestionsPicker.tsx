import { Button, NumberInput } from '@mantine/core';
import { Select } from '../../kit/Select.tsx';
import { useEffect } from 'react';
import type { EvaluationSpec, QuestionsSource } from '../../../evaluate/systems/spec.ts';
import { readCollections } from '../../corpus/store/collections-actions.ts';
import { useCollections } from '../../corpus/store/collections-store.ts';
import { BuiltInReader } from '../../setup/form/BuiltInReader.tsx';
import { PickField } from '../../kit/PickField.tsx';
import { useEvaluateDraft } from '../store/evaluate-draft.ts';
import { NameCheckProgress, UnknownNames, useUnknownNames } from './UnknownNames.tsx';

const SPLITS = ['train', 'dev', 'test', 'all'] as const;

const change = (questions: QuestionsSource[]): void =>
  useEvaluateDraft.getState().change({ questions });

/** `files` cannot be added here; a spec from the command line may contain it. */
const NAMES: Record<QuestionsSource['kind'], string> = {
  'built-in': 'Built-in world',
  fresh: 'Fresh world',
  collections: 'Imported questions',
  files: 'Files from the command line',
};

/** A set of questions and its setter. */
interface LineProps {
  source: QuestionsSource;
  set: (source: QuestionsSource) => void;
  remove: () => void;
}

/** Which imported set. A deleted one stays listed until another is chosen. */
const Collections = (props: {
  source: QuestionsSource & { kind: 'collections' };
  set: LineProps['set'];
}) => {
  const { source, set } = props;
  const collections = useCollections((state) => state.collections);
  const withQuestions = collections.filter(({ questions }) => questions > 0);
  return (
    <Select
      size="xs"
      label="Set"
      data={[
        ...source.ids
          .filter((id) => !withQuestions.some((one) => one.id === id))
          .map((id) => ({ value: id, label: 'deleted set' })),
        ...withQuestions.map(({ id, name, questions }) => ({
          value: id,
          label: `${name} (${questions})`,
        })),
      ]}
      value={source.ids[0] ?? ''}
      onChange={({ currentTarget: { value } }) => set({ ...source, ids: [value] })}
    />
  );
};

/** One set of questions: source, split, number. */
const Line = ({ source, set, remove }: LineProps) => (
  <div className="question-line">
    <b>{NAMES[source.kind]}</b>
    {source.kind === 'fresh' ? (
      <>
        <NumberInput
          size="xs"
          label="Seed of the world"
          min={0}
          max={0xffffffff}
          allowDecimal={false}
          value={source.seed}
          onChange={(seed) => typeof seed === 'number' && set({ ...source, seed })}
        />
      </>
    ) : null}
    {source.kind === 'collections' ? <Collections source={source} set={set} /> : null}
    <PickField
      label="Split"
      values={SPLITS}
      value={source.split}
      onPick={(split) => set({ ...source, split })}
    />
    <NumberInput
      size="xs"
      label="Questions, at most"
      placeholder="all"
      min={1}
      max={100_000}
      allowDecimal={false}
      value={source.limit ?? ''}
      // A cleared field passes an empty string: no limit.
      onChange={(limit) => set({ ...source, limit: typeof limit === 'number' ? limit : null })}
    />
    <button
      type="button"
      className="link"
      aria-label={`Remove: ${NAMES[source.kind]}`}
      onClick={remove}
    >
      ✕
    </button>
  </div>
);

/** A seed that no other set has: two equal sets would be merged. */
const freshSeed = (sources: readonly QuestionsSource[]): number =>
  1 + Math.max(0, ...sources.map((one) => (one.kind === 'fresh' ? one.seed : 0)));

/** Whether the built-in policy gets questions or passages from outside its world. */
const isForeign = ({ policies, questions, retrieval }: EvaluationSpec): boolean =>
  policies.some((one) => one.kind === 'base' && one.policy.kind === 'built-in') &&
  (questions.some(({ kind }) => kind === 'collections') ||
    retrieval.some(({ local }) => local?.kind === 'collections'));

/** The question sets; several sets form one evaluation. */
export const QuestionsPicker = () => {
  const sources = useEvaluateDraft(({ spec }) => spec.questions);
  const first = useCollections((state) => state.collections.find(({ questions }) => questions > 0));
  const nameCheck = useUnknownNames();
  const foreign = useEvaluateDraft(({ spec }) => isForeign(spec));
  useEffect(() => {
    void readCollections();
  }, []);
  const add = (source: QuestionsSource) => change([...sources, source]);
  return (
    <section aria-label="Questions" className="chooser-part">
      <h2>Questions</h2>
      <ul>
        {sources.map((source, index) => (
          <li
            // Sets have no ids, and two may be equal while they are edited.
            key={index}
          >
            <Line
              source={source}
              set={(next) => change(sources.map((one, at) => (at === index ? next : one)))}
              remove={() => change(sources.filter((_, at) => at !== index))}
            />
            <div role="status">
              <UnknownNames nameCheck={nameCheck} set={index} />
            </div>
          </li>
        ))}
      </ul>
      <NameCheckProgress nameCheck={nameCheck} />
      {foreign ? <BuiltInReader /> : null}
      <div className="editor-actions">
        <Button
          size="xs"
          variant="default"
          onClick={() => add({ kind: 'built-in', split: 'test', limit: 50 })}
        >
          Add built-in questions
        </Button>
        <Button
          size="xs"
          variant="default"
          title="A new fictional world, generated from a seed; no model here was trained on it"
          onClick={() => add({ kind: 'fresh', seed: freshSeed(sources), split: 'test', limit: 50 })}
        >
          Add a fresh world
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={!first}
          title={first ? undefined : 'Import questions on Corpus first'}
          onClick={() =>
            first && add({ kind: 'collections', ids: [first.id], split: 'all', limit: null })
          }
        >
          Add imported questions
        </Button>
      </div>
    </section>
  );
};
