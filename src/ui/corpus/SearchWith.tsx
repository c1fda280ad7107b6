import { Select } from '../kit/Select.tsx';
import { SOURCE_DEFAULTS } from '../../records/setup.ts';
import { LOCAL_METHODS, localMethod } from '../../retrieval/methods/list.ts';
import { PickField } from '../kit/PickField.tsx';
import type { EncoderKind } from '../../lab/contract/encoders.ts';
import {
  askQuestionsOf,
  changeSearch,
  chooseSource,
  questionSetsOf,
  searchCollections,
  type Collected,
} from '../setup/search-with.ts';
import { useSetup } from '../setup/setup-store.ts';
import { useModels } from '../models/store/models-store.ts';

/** Deleted collections stay listed, so that the choice is visible. */
const Fields = ({ local }: { local: Collected }) => {
  const source = useSetup(({ setup }) => setup.source);
  const stored = useModels((state) => state.encoders.encoders);
  const idsOf = (kind: EncoderKind) =>
    stored.filter((one) => one.kind === kind).map(({ id }) => id);
  // Only methods with a dense list use an encoder.
  const encodes = localMethod(local.method).dense !== null;
  const [encoders, rerankers] = [idsOf('encoder'), idsOf('reranker')];
  return (
    <span className="with-fields">
      <PickField
        label="Runs search"
        title="Source if the search names none"
        values={SOURCE_DEFAULTS}
        names={{ local: 'these passages only', recipe: 'as in the recipe' }}
        value={source}
        onPick={chooseSource}
      />
      <Select
        size="xs"
        label="Method"
        value={local.method}
        data={LOCAL_METHODS.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={({ currentTarget: { value } }) => changeSearch({ method: value })}
      />
      <Select
        size="xs"
        label="Encoder"
        disabled={!encodes}
        title={encodes ? undefined : 'Lexical search needs no encoder'}
        value={local.encoder}
        // Includes the chosen one even if it was deleted.
        data={[...new Set(['built-in', ...encoders, local.encoder])]}
        onChange={(event) => changeSearch({ encoder: event.currentTarget.value })}
      />
      <Select
        size="xs"
        label="Reranker"
        value={local.reranker ?? ''}
        data={[
          { value: '', label: 'none' },
          ...[...new Set([...rerankers, ...(local.reranker === null ? [] : [local.reranker])])].map(
            (id) => ({ value: id, label: id }),
          ),
        ]}
        onChange={({ currentTarget: { value } }) => changeSearch({ reranker: value || null })}
      />
    </span>
  );
};

/** How own passages are searched, and a way back to the built-in world; nothing while it is in use. */
export const SearchWith = () => {
  const local = useSetup(({ setup }) => setup.local);
  const asks = useSetup(({ setup }) => questionSetsOf(setup).length > 0);
  if (local.kind === 'built-in' && !asks) return null;
  return (
    <section className="search-with" aria-label="Passages and questions in use">
      {local.kind === 'collections' ? <Fields local={local} /> : null}
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
    </section>
  );
};
