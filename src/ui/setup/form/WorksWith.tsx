import { Select } from '../../kit/Select.tsx';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useShallow } from 'zustand/react/shallow';
import type { PolicyRef, Setup } from '../../../records/setup.ts';
import { refreshCheckpoints } from '../../models/store/checkpoint-actions.ts';
import { useModels } from '../../models/store/models-store.ts';
import { readCollections } from '../../corpus/store/collections-actions.ts';
import { useCollections } from '../../corpus/store/collections-store.ts';
import { useSetup, choosePolicy } from '../setup-store.ts';
import { askQuestionsOf, questionSetsOf, searchCollections } from '../search-with.ts';
import {
  grouped,
  keyOf,
  policiesOf,
  policyChoices,
  type PolicyChoice,
  helperValue,
} from './policy-words.ts';
import { engineKind } from '../../../retrieval/engines/kinds/list.ts';

/** Links to the pages where more can be added. */

/** Policies to choose from, including a chosen one that was deleted. */
const useChoices = (): PolicyChoice[] => {
  const setup = useSetup((state) => state.setup);
  const resources = useSetup((state) => state.resources);
  const checkpoints = useModels((state) => state.checkpoints);
  return policyChoices(resources, checkpoints, policiesOf(setup));
};

const PolicySelect = ({ choices }: { choices: readonly PolicyChoice[] }) => {
  const policy = useSetup(({ setup }) => setup.policy);
  return (
    <Select
      size="xs"
      label="Model"
      value={keyOf(policy)}
      data={grouped(choices)}
      onChange={({ currentTarget: { value } }) => {
        const chosen = choices.find(({ ref }) => keyOf(ref) === value);
        if (chosen) choosePolicy(chosen.ref);
      }}
    />
  );
};

/** One collection, or a combination made on Corpus. */
const CollectionSelect = (props: {
  label: string;
  ids: readonly string[];
  holds: 'passages' | 'questions';
  choose: (ids: string[]) => void;
}) => {
  const collections = useCollections((state) => state.collections);
  const usable = collections.filter((one) => one[props.holds] > 0);
  const several = props.ids.length > 1;
  const gone = props.ids.filter((id) => !collections.some((one) => one.id === id));
  return (
    <Select
      size="xs"
      label={props.label}
      value={several ? 'several' : (props.ids[0] ?? '')}
      data={[
        { value: '', label: 'built-in world' },
        ...usable.map(({ id, name }) => ({ value: id, label: name })),
        ...(several ? [{ value: 'several', label: `${props.ids.length} collections` }] : []),
        ...(several ? [] : gone.map((id) => ({ value: id, label: 'deleted collection' }))),
      ]}
      onChange={({ currentTarget: { value } }) => {
        if (value !== 'several') props.choose(value === '' ? [] : [value]);
      }}
    />
  );
};

type Helper = 'summarizer' | 'judge';

/** Summarizer or judge: a built-in one (`fixed`), or an instruction-following model. */
const HelperSelect = (props: {
  label: string;
  part: Helper;
  choices: readonly PolicyChoice[];
  fixed: readonly { value: 'off' | 'extractive'; label: string }[];
  title: string;
}) => {
  const spec = useSetup(({ setup }) => setup[props.part]);
  const change = useSetup((state) => state.change);
  const models = props.choices.filter(({ chats }) => chats);
  const use = (ref: PolicyRef) =>
    props.part === 'judge'
      ? change({ judge: { kind: 'model', policy: ref } })
      : change({ summarizer: { kind: 'model', policy: ref } });
  return (
    <Select
      size="xs"
      label={props.label}
      title={props.title}
      value={helperValue(spec)}
      data={[...props.fixed, ...grouped(models)]}
      onChange={({ currentTarget: { value } }) => {
        const model = models.find(({ ref }) => keyOf(ref) === value);
        if (model) return use(model.ref);
        if (props.part === 'judge') return change({ judge: { kind: 'off' } });
        return change({ summarizer: { kind: value === 'extractive' ? 'extractive' : 'off' } });
      }}
    />
  );
};

/** The lists may have changed on other pages and in other tabs. */
const useLists = (): void => {
  useEffect(() => {
    void refreshCheckpoints();
    void readCollections();
  }, []);
};

/** Parts that are not built in, one word each. */
const changedParts = ({ policy, local, web, questions, summarizer, judge }: Setup): string[] =>
  [
    policy.kind === 'built-in' ? '' : 'model',
    questions.kind === 'built-in' ? '' : 'questions',
    local.kind === 'built-in' ? '' : 'passages',
    web.kind === 'built-in' ? '' : 'web',
    summarizer.kind === 'off' ? '' : 'summarizer',
    judge.kind === 'off' ? '' : 'judge',
  ].filter((part) => part !== '');

/** Whether a part is used here: helpers if listed in `helpers`, other parts always. */
const takesPart = (part: string, helpers: readonly Helper[]): boolean =>
  (part !== 'summarizer' && part !== 'judge') || helpers.includes(part);

const HELPERS: readonly Helper[] = ['summarizer', 'judge'];

/** The built-in policy cannot be a helper; a note if there is no other model. */
const NoJudge = ({ choices }: { choices: readonly PolicyChoice[] }) =>
  choices.some(({ chats }) => chats) ? null : (
    <p className="fine">
      The built-in model cannot judge answers. Add a server or a chat model on{' '}
      <Link href="/models">Models</Link>.
    </p>
  );

/** @param helpers whether summarizer and judge are used; on Ask both are */
export const WorksWith = ({ helpers = HELPERS }: { helpers?: readonly Helper[] }) => {
  useLists();
  const choices = useChoices();
  const local = useSetup(({ setup }) => setup.local);
  const web = useSetup(({ setup }) => setup.web);
  const questionSets = useSetup(({ setup }) => questionSetsOf(setup));
  const changed = useSetup(
    useShallow(({ setup }) => changedParts(setup).filter((part) => takesPart(part, helpers))),
  );
  // Open if something was chosen, or by the user.
  const [open] = useState(changed.length > 0);
  return (
    <details className="works-with" open={open}>
      <summary>
        Model and data{' '}
        <span className="fine">· {changed.length === 0 ? 'built in' : changed.join(', ')}</span>
      </summary>
      <div className="fields">
        <PolicySelect choices={choices} />
        <CollectionSelect
          label="Questions"
          ids={questionSets}
          holds="questions"
          choose={askQuestionsOf}
        />
        <CollectionSelect
          label="Local passages"
          ids={local.kind === 'collections' ? local.ids : []}
          holds="passages"
          choose={searchCollections}
        />
        {helpers.includes('summarizer') ? (
          <HelperSelect
            label="Summarizer"
            part="summarizer"
            choices={choices}
            title="UR²: passages are summarized for the query before the model reads them"
            fixed={[
              { value: 'off', label: 'off' },
              { value: 'extractive', label: 'extractive (built in)' },
            ]}
          />
        ) : null}
        {helpers.includes('judge') ? (
          <HelperSelect
            label="Judge"
            part="judge"
            choices={choices}
            title="LLM judge: a second model decides whether an answer means the same as the gold answer. In training it also scores the held-out questions."
            fixed={[{ value: 'off', label: 'off' }]}
          />
        ) : null}
      </div>
      {helpers.includes('judge') ? <NoJudge choices={choices} /> : null}
      <p className="fine">
        Web: {'url' in web ? engineKind(web.kind).name : 'built-in web'}
        {'url' in web ? ` at ${new URL(web.url).host}` : ''}. Add more on{' '}
        <Link href="/models">Models</Link> and <Link href="/corpus">Corpus</Link>.
      </p>
    </details>
  );
};
