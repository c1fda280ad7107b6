import {
  dismissNotice,
  dismissProblem,
  purgeRemoved,
  restoreCollection,
} from './store/collections-actions.ts';
import { useCollections } from './store/collections-store.ts';
import { Button } from '@mantine/core';
import { Link } from 'wouter';
import type { CollectionView } from '../../lab/contract/collections.ts';
import type { Setup } from '../../records/setup.ts';
import { ASK } from '../ask/store/permalink.ts';
import {
  askQuestionsOf,
  questionSetsOf,
  searchCollections,
  type Uses,
} from '../setup/search-with.ts';
import { useSetup } from '../setup/setup-store.ts';
import { CopyButton } from '../kit/CopyButton.tsx';
import { FREED_LATER, UndoBar } from '../kit/UndoBar.tsx';

/** The last failure, until it is dismissed. */
const Problem = () => {
  const problem = useCollections((state) => state.problem);
  if (!problem) return null;
  return (
    <div className="undo" role="alert">
      <span className="tone-bad grow">⚠ {problem.text}</span>
      {problem.detail ? (
        <CopyButton label="Copy details" text={() => `${problem.text}\n${problem.detail}`} />
      ) : null}
      <button
        type="button"
        className="link"
        aria-label="Hide this problem"
        onClick={dismissProblem}
      >
        ✕
      </button>
    </div>
  );
};

/** What a deleted collection was used for; empty if unused. */
const lostOf = ({ searched, asked }: Uses): string => {
  const calls = [searched && 'search', asked && 'ask'].filter(Boolean);
  return calls.length > 0 ? `; runs ${calls.join(' and ')} without it now` : '';
};

/** Deleted collections that can still be restored. */
const Undo = () => (
  <UndoBar
    removed={useCollections((state) => state.removed).map(({ uses, ...entry }) => ({
      ...entry,
      lost: lostOf(uses),
    }))}
    restore={(id) => void restoreCollection(id)}
    note={FREED_LATER}
  >
    <button type="button" className="link" onClick={() => void purgeRemoved()}>
      Free the space now
    </button>
  </UndoBar>
);

/** Uses the collection: searches its passages, asks its questions. */
const workWith = ({ id, passages, questions }: CollectionView): void => {
  if (passages > 0) searchCollections([id]);
  if (questions > 0) askQuestionsOf([id]);
};

/** The label of the button: which items the collection has. */
const whatIt = ({ passages, questions }: CollectionView): string =>
  [passages > 0 && 'passages', questions > 0 && 'questions'].filter(Boolean).join(' and ');

/** The built-in web does not cover imported passages, so the web source is stated. */
const webWords = (setup: Setup, { passages }: CollectionView): string => {
  if (passages === 0) return 'The searched passages are unchanged.';
  return 'url' in setup.web
    ? `The web is ${new URL(setup.web.url).host}.`
    : 'Only these passages are searched. You can set a web source below.';
};

/** The next step after an import; then its confirmation. */
const Added = ({ collection }: { collection: CollectionView }) => {
  const setup = useSetup((state) => state.setup);
  const { id, passages, questions } = collection;
  const searched =
    passages === 0 || (setup.local.kind === 'collections' && setup.local.ids.includes(id));
  const asked = questions === 0 || questionSetsOf(setup).includes(id);
  if (searched && asked)
    return (
      <span className="fine">
        ✓ In use. {webWords(setup, collection)} <Link href={ASK}>Ask a question</Link>
      </span>
    );
  return (
    <Button size="compact-sm" onClick={() => workWith(collection)}>
      Use {whatIt(collection)} now
    </Button>
  );
};

/** The last result; after an import also the next step. */
const Notice = () => {
  const notice = useCollections((state) => state.notice);
  const added = useCollections(({ collections, added: id }) =>
    collections.find((one) => one.id === id),
  );
  if (!notice) return null;
  return (
    <div className="undo">
      <span className="grow">{notice}</span>
      {added ? <Added collection={added} /> : null}
      <button type="button" className="link" aria-label="Hide this message" onClick={dismissNotice}>
        ✕
      </button>
    </div>
  );
};

/** At the top of the page: a problem (alert), the last result (status), and deletions with undo. */
export const Notices = () => (
  <>
    <Problem />
    <div role="status">
      <Notice />
    </div>
    <Undo />
  </>
);
