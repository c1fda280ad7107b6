import { useEffect, useMemo, useState } from 'react';
import { Link, useSearch } from 'wouter';
import { AddBar, offerGathered } from './import/AddBar.tsx';
import { Browse } from './Browse.tsx';
import { CollectionsTable } from './CollectionsTable.tsx';
import { droppedFiles } from './import/dropped-files.ts';
import { MEMORY_LIMIT } from '../../lab/corpus/collections/passages/memory-limit.ts';
import { formatBytes, formatCount, plural } from '../kit/words/format.ts';
import { Notices } from './Notices.tsx';
import { PendingImport } from './import/PendingImport.tsx';
import { groupBy } from '../../base/items.ts';
import type { QuestionRow } from '../../lab/contract/ask.ts';
import { useFileDrop } from '../kit/use-file-drop.ts';
import { useNeeds } from '../lab/use-needs.ts';
import { WebSourceForm } from './WebSourceForm.tsx';
import { SearchPanel } from './SearchPanel.tsx';
import { SearchWith } from './SearchWith.tsx';
import { StorageLine } from '../lab/StorageLine.tsx';
import { VerdictLine } from '../kit/page/VerdictLine.tsx';
import { useSession } from '../kit/session-store.ts';
import { questionSetsOf } from '../setup/search-with.ts';
import { useSetup } from '../setup/setup-store.ts';
import { corpusVerdict } from './corpus-verdict.ts';
import { useGone, useNames } from './search-words.ts';
import { readCollections, cancelJob } from './store/collections-actions.ts';
import { useCollections, secondsLeft, type CollectionsJob } from './store/collections-store.ts';
import { Button } from '@mantine/core';
import { formatDuration } from '../kit/words/duration.ts';

const VERBS = { import: 'Importing', merge: 'Merging', fetch: 'Fetching' } as const;

/** The clock, twice a second: the time left changes even without progress. */
const useNow = (): number => {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return now;
};

/** Progress: items of a merge, bytes of a file; only bytes if the server does not state the size. */
const amount = ({ kind, done, total }: CollectionsJob): string => {
  if (kind === 'merge') return `${formatCount(done)} of ${plural(total, 'item')}`;
  return total > 0 ? `${formatBytes(done)} of ${formatBytes(total)}` : formatBytes(done);
};

/** Counts of an import; empty for other jobs. */
const Counts = ({ job: { progress } }: { job: CollectionsJob }) => {
  if (!progress) return null;
  const { passages, questions, duplicates, rejected, file, files } = progress;
  return (
    <span className="fine">
      {files > 1 ? `file ${formatCount(file)} of ${formatCount(files)} · ` : ''}
      so far {plural(passages, 'passage')} · {plural(questions, 'question')}
      {duplicates > 0 ? ` · ${plural(duplicates, 'duplicate')}` : ''}
      {rejected > 0 ? ` · ${formatCount(rejected)} rejected` : ''}
    </span>
  );
};

/** The current job, its progress, its time left, and a cancel button. */
export const ImportJob = () => {
  const job = useCollections((state) => state.job);
  return job ? <Running job={job} /> : null;
};

/** A separate component, so that the clock only runs during a job. */
const Running = ({ job }: { job: CollectionsJob }) => {
  const now = useNow();
  const left = secondsLeft(job, now);
  return (
    <section className="job" aria-label={VERBS[job.kind]} data-testid="job">
      <div className="job-line">
        <b className="ellipsis">
          {VERBS[job.kind]} {job.progress?.name ?? job.name}
        </b>
        <span className="figure">{amount(job)}</span>
        <span className="fine" data-testid="eta">
          {left === null ? '' : `≈ ${formatDuration(left)} left`}
        </span>
        <span className="grow" />
        <Button size="compact-xs" variant="default" disabled={job.cancelling} onClick={cancelJob}>
          {job.cancelling ? 'Stopping …' : 'Cancel'}
        </Button>
      </div>
      <progress
        className="bar"
        aria-label={VERBS[job.kind]}
        max={1}
        // An indeterminate bar: the size is unknown.
        {...(job.total > 0 && { value: job.done / job.total })}
      />
      <Counts job={job} />
    </section>
  );
};

import './corpus.css';
import './search.css';
import './sources.css';
import './import/import.css';
import './items.css';

/** Memory use of the page, as far as the browser reports it. */
type Memory =
  | { kind: 'measured'; bytes: number }
  /** Only the JavaScript heap of the page, without workers. */
  | { kind: 'heap'; bytes: number }
  | { kind: 'unknown' };

/** Not in TypeScript's DOM library. */
interface MemoryPerformance {
  measureUserAgentSpecificMemory?: () => Promise<{ bytes: number }>;
  memory?: { usedJSHeapSize: number };
}

const heap = (): Memory => {
  const { memory } = performance as MemoryPerformance;
  return memory ? { kind: 'heap', bytes: memory.usedJSHeapSize } : { kind: 'unknown' };
};

/** The page and its workers, if the browser supports it; may take a while. */
async function measureMemory(): Promise<Memory> {
  // Refused unless the page is cross-origin isolated.
  const { measureUserAgentSpecificMemory } = performance as MemoryPerformance;
  if (!globalThis.crossOriginIsolated || !measureUserAgentSpecificMemory) return heap();
  const { bytes } = await measureUserAgentSpecificMemory.call(performance);
  return { kind: 'measured', bytes };
}

/** Interval between measurements. Browsers delay them on purpose. */
const EVERY_MS = 5000;

/** Measured once, and repeatedly while `often`; before the first result, what is known at once. */
const useMemory = (often: boolean): Memory => {
  const [memory, setMemory] = useState<Memory>(heap);
  useEffect(() => {
    let live = true;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const measure = async () => {
      const now = await measureMemory().catch((): Memory => ({ kind: 'unknown' }));
      if (!live) return;
      setMemory(now);
      if (often) timer = setTimeout(() => void measure(), EVERY_MS);
    };
    void measure();
    return () => {
      live = false;
      clearTimeout(timer);
    };
  }, [often]);
  return memory;
};

/** What runs search and ask, on top of the page. */
const CorpusNow = () => {
  const { local, source } = useSetup(({ setup }) => setup);
  const asked = useSetup(({ setup }) => questionSetsOf(setup));
  const searched = local.kind === 'collections' ? local.ids : [];
  const { status } = useSession((state) => state.parts.retrieval);
  const sources = useSession((state) => state.sources);
  const questions = useSession((state) => state.questions.length);
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

/** Memory of the page, and the share that an import may use. */
const MemoryLine = () => {
  const importing = useCollections(({ job }) => job?.kind === 'import');
  const held = useCollections(({ job }) => job?.progress?.heldBytes ?? null);
  // Polled only during an import: measuring all workers is expensive.
  const memory = useMemory(importing);
  return (
    <span className="fine" data-testid="memory">
      {memory.kind === 'measured' ? (
        <span title="Measured by the browser, workers included">
          memory <b>{formatBytes(memory.bytes)}</b>
        </span>
      ) : memory.kind === 'heap' ? (
        <span title="JavaScript heap of the page; this browser does not report that of workers">
          memory <b>{formatBytes(memory.bytes)}</b> without workers
        </span>
      ) : (
        'memory: unknown in this browser'
      )}
      {held === null ? null : (
        <span title="Ids and hashes for finding duplicates, and the current batch; files are streamed">
          {' '}
          · the import uses ≈ {formatBytes(held)} of at most {formatBytes(MEMORY_LIMIT)}
        </span>
      )}
    </span>
  );
};

/** Statistics of the questions in use. */

/** `bridge 1,204`, the most frequent first. */
const counted = (rows: readonly QuestionRow[], of: (row: QuestionRow) => string): string =>
  [...groupBy(rows, of)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([name, all]) => `${name} ${formatCount(all.length)}`)
    .join(' · ');

const FACTS: readonly (readonly [string, (row: QuestionRow) => string])[] = [
  ['by split', ({ split }) => split || 'unknown'],
  ['by hops', ({ hops }) => (hops > 0 ? plural(hops, 'hop') : 'unknown')],
  ['by type', ({ type }) => type ?? 'unknown'],
  [
    'source',
    ({ localSuffices }) =>
      localSuffices === null ? 'unknown' : localSuffices ? 'local is enough' : 'needs the web',
  ],
];

const QuestionsAsked = () => {
  const rows = useSession((state) => state.questions);
  const facts = useMemo(
    () => FACTS.map(([name, of]) => [name, counted(rows, of)] as const),
    [rows],
  );
  if (rows.length === 0) return null;
  return (
    <section className="questions-asked" aria-labelledby="questions-asked">
      <h2 id="questions-asked">{plural(rows.length, 'question')} to ask</h2>
      <dl className="pairs">
        {facts.map(([name, text]) => (
          <div key={name} className="pair">
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
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
