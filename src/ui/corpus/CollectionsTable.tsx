import { Button, Checkbox } from '@mantine/core';
import { Fragment, useState } from 'react';
import { Link } from 'wouter';
import type { CollectionView } from '../../lab/contract/collections.ts';
import { formatBytes, formatCount, plural } from '../kit/words/format.ts';
import { BelowRow, ListTable, RowActions } from '../kit/ListTable.tsx';
import { mergeCollections, removeCollections } from './store/collections-actions.ts';
import { useCollections } from './store/collections-store.ts';
import { askQuestionsOf, questionSetsOf, searchCollections } from '../setup/search-with.ts';
import { useSetup } from '../setup/setup-store.ts';
import { CollectionEditor } from './CollectionEditor.tsx';
import { Unfinished } from './import/Unfinished.tsx';

/** Columns of the table; the names of `visually` ones are only for screen readers. */
const HEADS = [
  ['choose', 'visually'],
  ['collection', ''],
  ['passages', 'figure'],
  ['questions', 'figure'],
  ['stored', 'figure wide-only'],
  ['from', 'wide-only'],
  ['content hash', 'wide-only'],
  ['actions', 'visually'],
] as const;

/** The first source file, and how many more. */
const origin = ({ sources, sourceCount }: CollectionView): string => {
  const [first] = sources;
  const name = first ? (first.origin.kind === 'url' ? first.origin.url : first.name) : '';
  return sourceCount > 1 ? `${name} and ${plural(sourceCount - 1, 'other file')}` : name;
};

/** Whether runs search it or use its questions. */
const Uses = ({ id }: { id: string }) => {
  // Two boolean selectors: the row renders only when one of them changes.
  const searched = useSetup(
    ({ setup: { local } }) => local.kind === 'collections' && local.ids.includes(id),
  );
  const asked = useSetup(({ setup }) => questionSetsOf(setup).includes(id));
  return (
    <>
      {searched ? <span className="badge good">searched</span> : null}
      {asked ? <span className="badge good">asked</span> : null}
    </>
  );
};

/** Duplicates in other collections that still exist. */
const Shared = ({ shared }: { shared: CollectionView['shared'] }) => {
  const collections = useCollections((state) => state.collections);
  const duplicateWords = shared.flatMap(({ collectionId, passages }) => {
    const other = collections.find(({ id }) => id === collectionId);
    return other ? [`${plural(passages, 'passage')} also in “${other.name}”`] : [];
  });
  return duplicateWords.length > 0 ? <div className="fine">{duplicateWords.join('; ')}</div> : null;
};

interface RowProps {
  row: CollectionView;
  chosen: boolean;
  choose: (on: boolean) => void;
  open: boolean;
  toggle: () => void;
}

/** A row of the list. Selected collections can be searched or merged together; the open one is edited. */
const Row = ({ row, chosen, choose, open, toggle }: RowProps) => (
  <tr className={chosen ? 'chosen' : ''} data-collection={row.name}>
    <td>
      <Checkbox
        size="xs"
        aria-label={`Choose ${row.name}`}
        checked={chosen}
        onChange={(event) => choose(event.currentTarget.checked)}
      />
    </td>
    <td className="row-name">
      <Link href={`/corpus?collection=${row.id}`}>{row.name}</Link> <Uses id={row.id} />
      {row.rejected > 0 ? (
        <div className="fine tone-bad">{plural(row.rejected, 'item')} rejected</div>
      ) : null}
      <Shared shared={row.shared} />
      <Unfinished row={row} />
    </td>
    <td className="figure" data-label="passages">
      {formatCount(row.passages)}
    </td>
    <td className="figure" data-label="questions">
      {formatCount(row.questions)}
    </td>
    <td className="figure wide-only">{formatBytes(row.storedBytes)}</td>
    <td className="wide-only origin">{origin(row)}</td>
    <td className="wide-only">
      <code title={row.hash}>{row.hash.slice(0, 10)}</code>
    </td>
    <td>
      <RowActions
        name={row.name}
        open={open}
        toggle={toggle}
        remove={() => void removeCollections([row.id])}
        // Not while a tab is writing to it.
        busy={row.busy}
      />
    </td>
  </tr>
);

/** Actions for the selected collections. */
const Together = ({ rows, clear }: { rows: readonly CollectionView[]; clear: () => void }) => {
  const busy = useCollections((state) => state.job !== null);
  const ids = rows.map(({ id }) => id);
  const has = (kind: 'passages' | 'questions') => rows.some((row) => row[kind] > 0);
  // A collection with only questions cannot be searched, and one with only passages has no questions.
  const withItems = (kind: 'passages' | 'questions') =>
    rows.filter((row) => row[kind] > 0).map(({ id }) => id);
  return (
    <div className="together">
      <span className="fine">{plural(rows.length, 'collection')} chosen</span>
      <Button
        size="compact-xs"
        disabled={!has('passages')}
        onClick={() => searchCollections(withItems('passages'))}
      >
        Use for search
      </Button>
      <Button
        size="compact-xs"
        disabled={!has('questions')}
        onClick={() => askQuestionsOf(withItems('questions'))}
      >
        Use these questions
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        disabled={rows.length < 2 || busy}
        // If the merge failed, they stay selected for another try.
        onClick={() => void mergeCollections(ids).then((id) => id && clear())}
      >
        Merge
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => void removeCollections(ids).then(clear)}
      >
        Delete
      </Button>
    </div>
  );
};

/** The collections of this browser. */
export const CollectionsTable = () => {
  const rows = useCollections((state) => state.collections);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<string | null>(null);
  // A selected one may have been deleted since, here or in another tab.
  const some = rows.filter(({ id }) => chosen.has(id));
  const choose = (id: string, on: boolean) => {
    const next = new Set(chosen);
    if (on) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  return (
    <>
      {some.length > 0 ? <Together rows={some} clear={() => setChosen(new Set())} /> : null}
      <ListTable name="Collections" heads={HEADS}>
        {rows.map((row) => (
          <Fragment key={row.id}>
            <Row
              row={row}
              chosen={chosen.has(row.id)}
              choose={(on) => choose(row.id, on)}
              open={opened === row.id}
              toggle={() => setOpened(opened === row.id ? null : row.id)}
            />
            {opened === row.id ? (
              <BelowRow heads={HEADS}>
                <CollectionEditor row={row} />
              </BelowRow>
            ) : null}
          </Fragment>
        ))}
      </ListTable>
    </>
  );
};
