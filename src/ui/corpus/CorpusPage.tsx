import { useEffect } from 'react';
import { Link, useSearch } from 'wouter';
import { AddBar, offerGathered } from './import/AddBar.tsx';
import { Browse } from './items/Browse.tsx';
import { CollectionsTable } from './CollectionsTable.tsx';
import { droppedFiles } from './import/dropped-files.ts';
import { ImportJob } from './import/ImportJob.tsx';
import { MemoryLine } from './MemoryLine.tsx';
import { Notices } from './Notices.tsx';
import { PendingImport } from './import/PendingImport.tsx';
import { QuestionsAsked } from './QuestionsAsked.tsx';
import { useFileDrop } from '../kit/use-file-drop.ts';
import { useNeeds } from '../lab/use-needs.ts';
import { WebSourceForm } from './sources/WebSourceForm.tsx';
import { SearchPanel } from './search/SearchPanel.tsx';
import { SearchWith } from './search/SearchWith.tsx';
import { StorageLine } from '../lab/StorageLine.tsx';
import { VerdictLine } from '../kit/page/VerdictLine.tsx';
import { useLab } from '../lab/lab-store.ts';
import { questionSetsOf } from '../setup/search-with.ts';
import { useSetup } from '../setup/setup-store.ts';
import { corpusVerdict } from './corpus-verdict.ts';
import { useGone, useNames } from './search/search-words.ts';
import { readCollections } from './store/collections-actions.ts';
import { useCollections } from './store/collections-store.ts';
import './corpus.css';
import './search/search.css';
import './sources/sources.css';
import './import/import.css';
import './items/items.css';

/** What runs search and ask, on top of the page. */
const CorpusNow = () => {
  const { local, source } = useSetup(({ setup }) => setup);
  const asked = useSetup(({ setup }) => questionSetsOf(setup));
  const searched = local.kind === 'collections' ? local.ids : [];
  const { status } = useLab((state) => state.parts.retrieval);
  const sources = useLab((state) => state.sources);
  const questions = useLab((state) => state.questions.length);
  const collections = useCollections((state) => state.collections);
  const now = {
    searched: useNames(searched),
    asked: useNames(asked),
    gone: useGone([...searched, ...asked]),
  };
  return (
    <VerdictLine
      verdict={corpusVerdict({ ...now, source, status, sources, questions, collections })}
    />
  );
};

/** The collections; empty before the first one. */
const Collections = () => {
  const status = useCollections((state) => state.status);
  const none = useCollections(({ collections }) => collections.length === 0);
  if (status === 'waiting') return <p role="status">Reading the collections …</p>;
  return none ? null : <CollectionsTable />;
};

/** Before the first collection: which formats can be imported. */
const NoneYet = () => {
  const none = useCollections(
    ({ status, collections }) => status !== 'waiting' && collections.length === 0,
  );
  return none ? (
    <p className="lead">
      Add your own passages and questions; they stay in this browser. Formats: HotpotQA,
      2WikiMultiHopQA, MuSiQue, Bamboogle, FlashRAG, verl, JSON lines or lists, plain text,
      Markdown. Drop a file to preview it; nothing is stored before you import it.
    </p>
  ) : null;
};

/** The collection that the address opens (`?collection=ID`); undefined where none does, or it is gone. */
const useOpened = () => {
  const id = new URLSearchParams(useSearch()).get('collection');
  return useCollections(({ collections }) => collections.find((one) => one.id === id));
};

/** Corpus: what runs search and ask, imported collections, and a search of the built-in world. */
const CorpusPage = () => {
  useNeeds('sources');
  // Files can be dropped on the whole page.
  const drop = useFileDrop((dropped) => void droppedFiles(dropped).then(offerGathered));
  const opened = useOpened();
  useEffect(() => void readCollections(), []);
  return (
    <main
      className={drop.over ? 'page wide corpus dropping' : 'page wide corpus'}
      tabIndex={-1}
      {...drop.handlers}
    >
      <div className="page-bar">
        <h1>Corpus</h1>
        <StorageLine />
        <MemoryLine />
        <Link href="/cluster">Clusters</Link>
      </div>
      <CorpusNow />
      <Notices />
      <div className="corpus-top">
        <div>
          <SearchWith />
          <AddBar />
          <NoneYet />
        </div>
        <WebSourceForm />
        <QuestionsAsked />
      </div>
      <ImportJob />
      <PendingImport />
      <Collections />
      {/* Keyed by the collection: filter and scroll position belong to it. */}
      {opened ? <Browse key={opened.id} row={opened} /> : null}
      <SearchPanel />
    </main>
  );
};

export default CorpusPage;
