import { useEffect } from 'react';
import { Link, useSearch } from 'wouter';
import { AddBar, offerGathered } from '../corpus/AddBar.tsx';
import { Browse } from '../corpus/Browse.tsx';
import { CollectionsTable } from '../corpus/CollectionsTable.tsx';
import { droppedFiles } from '../corpus/dropped-files.ts';
import { ImportJob } from '../corpus/ImportJob.tsx';
import { MemoryLine } from '../corpus/MemoryLine.tsx';
import { Notices } from '../corpus/Notices.tsx';
import { PendingImport } from '../corpus/PendingImport.tsx';
import { useFileDrop } from '../lib/use-file-drop.ts';
import { WebSourceForm } from '../sources/WebSourceForm.tsx';
import { SearchPanel } from '../corpus/SearchPanel.tsx';
import { SearchWith } from '../corpus/SearchWith.tsx';
import { StorageLine } from '../runs/StorageLine.tsx';
import { readCollections } from '../stores/collections-actions.ts';
import { useCollections } from '../stores/collections-store.ts';

const Collections = () => {
  const status = useCollections((state) => state.status);
  const none = useCollections(({ collections }) => collections.length === 0);
  if (status === 'waiting') return <p role="status">Reading the collections …</p>;
  if (!none) return <CollectionsTable />;
  return (
    <p className="lead">
      Your own passages and questions go here, and stay in this browser: HotpotQA, 2WikiMultiHopQA,
      MuSiQue, Bamboogle, FlashRAG and verl files, passages as JSON lines or lists, plain text and
      Markdown. There are none yet, so runs work with the built-in world. Drop a file to see what it
      would give; nothing is stored before you say so.
    </p>
  );
};

const useOpened = () => {
  const id = new URLSearchParams(useSearch()).get('collection');
  return useCollections(({ collections }) => collections.find((one) => one.id === id));
};

/** Corpus: what runs search and ask, imported collections, and a search of the built-in world. */
const CorpusPage = () => {
  const drop = useFileDrop((dropped) => void droppedFiles(dropped).then(offerGathered));
  const opened = useOpened();
  useEffect(() => void readCollections(), []);
  return (
    <main
      className={drop.over ? 'page wide corpus dropping' : 'page wide corpus'}
      tabIndex={-1}
      {...drop.handlers}
    >
      <div className="runs-bar">
        <h1>Corpus</h1>
        <StorageLine />
        <MemoryLine />
        <Link href="/cluster">Clusters</Link>
      </div>
      <Notices />
      <SearchWith />
      <AddBar />
      <ImportJob />
      <PendingImport />
      <Collections />
      {opened ? <Browse key={opened.id} row={opened} /> : null}
      <WebSourceForm />
      <SearchPanel />
    </main>
  );
};

export default CorpusPage;
