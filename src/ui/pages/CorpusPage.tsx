import { useEffect, useState, type DragEvent } from 'react';
import { Link, useSearch } from 'wouter';
import { AddBar, offerGathered } from '../corpus/AddBar.tsx';
import { Browse } from '../corpus/Browse.tsx';
import { CollectionsTable } from '../corpus/CollectionsTable.tsx';
import { droppedFiles } from '../corpus/dropped-files.ts';
import { ImportJob } from '../corpus/ImportJob.tsx';
import { MemoryLine } from '../corpus/MemoryLine.tsx';
import { Notices } from '../corpus/Notices.tsx';
import { PendingImport } from '../corpus/PendingImport.tsx';
import { WebSourceForm } from '../sources/WebSourceForm.tsx';
import { SearchPanel } from '../corpus/SearchPanel.tsx';
import { SearchWith } from '../corpus/SearchWith.tsx';
import { StorageLine } from '../runs/StorageLine.tsx';
import { readCollections } from '../stores/collections-actions.ts';
import { useCollections } from '../stores/collections-store.ts';

/** Files and folders dropped anywhere on the page are looked at. */
const useDrop = () => {
  const [over, setOver] = useState(false);
  const isFile = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  return {
    over,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!isFile(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        if (event.currentTarget === event.target) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        setOver(false);
        if (!isFile(event)) return;
        event.preventDefault();
        void droppedFiles(event.dataTransfer).then(offerGathered);
      },
    },
  };
};

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
  const drop = useDrop();
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
