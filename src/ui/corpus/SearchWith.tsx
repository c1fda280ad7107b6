import { NativeSelect } from '@mantine/core';
import { LOCAL_METHODS, type LocalMethod } from '../../data/setup.ts';
import { pickOf } from '../lib/pick-of.ts';
import { useCollections } from '../stores/collections-store.ts';
import { useQuestionSets } from '../stores/question-sets.ts';
import {
  askQuestionsOf,
  changeSearch,
  searchCollections,
  type Collected,
} from '../stores/search-with.ts';
import { useSetup } from '../stores/setup-store.ts';

const METHODS: Readonly<Record<LocalMethod, string>> = {
  lexical: 'lexical (BM25)',
  flat: 'dense, exact',
  hnsw: 'dense, HNSW',
  cluster: 'dense, clusters',
  hybrid: 'hybrid (BM25 + dense)',
};

const useNames = (ids: readonly string[]): string => {
  const collections = useCollections((state) => state.collections);
  return ids
    .map((id) => collections.find((one) => one.id === id)?.name ?? 'a collection that is gone')
    .join(', ');
};

/** What is stored elsewhere is offered by its id, so that a choice made there can be seen here. */
const Fields = ({ local }: { local: Collected }) => (
  <span className="with-fields">
    <NativeSelect
      size="xs"
      label="Method"
      value={local.method}
      data={LOCAL_METHODS.map((value) => ({ value, label: METHODS[value] }))}
      onChange={({ currentTarget: { value } }) => {
        const method = pickOf(LOCAL_METHODS, value);
        if (method) changeSearch({ method });
      }}
    />
    <NativeSelect
      size="xs"
      label="Encoder"
      disabled={local.method === 'lexical'}
      title={local.method === 'lexical' ? 'Lexical search needs none' : undefined}
      value={local.encoder}
      data={[...new Set(['built-in', local.encoder])]}
      onChange={(event) => changeSearch({ encoder: event.currentTarget.value })}
    />
    <NativeSelect
      size="xs"
      label="Reranker"
      value={local.reranker ?? ''}
      data={[
        { value: '', label: 'none' },
        ...(local.reranker === null ? [] : [{ value: local.reranker, label: local.reranker }]),
      ]}
      onChange={({ currentTarget: { value } }) => changeSearch({ reranker: value || null })}
    />
  </span>
);

/** What runs search and what they ask, in a sentence, and how to go back to the built-in world. */
export const SearchWith = () => {
  const local = useSetup(({ setup }) => setup.local);
  const questionSets = useQuestionSets((state) => state.questionSets);
  const searched = useNames(local.kind === 'collections' ? local.ids : []);
  const asked = useNames(questionSets);
  return (
    <section className="search-with" aria-label="What runs work with">
      <p>
        Runs search <b data-testid="searched">{searched || 'the built-in world'}</b> and ask
        questions of <b data-testid="asked">{asked || 'the built-in world'}</b>.{' '}
        {searched || asked ? (
          <button
            type="button"
            className="link"
            onClick={() => {
              searchCollections([]);
              askQuestionsOf([]);
            }}
          >
            Back to the built-in world
          </button>
        ) : null}
      </p>
      {local.kind === 'collections' ? <Fields local={local} /> : null}
    </section>
  );
};
