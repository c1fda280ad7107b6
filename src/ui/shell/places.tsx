import type { ReactNode } from 'react';
import { Redirect } from 'wouter';
import { AskPage } from '../ask/AskPage.tsx';
import { ASK } from '../ask/store/permalink.ts';
import type { IconName } from '../kit/Icon.tsx';
import { onDemand } from '../kit/page/on-demand.tsx';

// Only Ask is in the main bundle, because most visits start there.
const ClusterPage = onDemand(() => import('../corpus/clusters/ClusterPage.tsx'));
const CorpusPage = onDemand(() => import('../corpus/CorpusPage.tsx'));
const EvaluatePage = onDemand(() => import('../evaluate/EvaluatePage.tsx'));
const FilePage = onDemand(() => import('../rollouts/file/FilePage.tsx'));
const FilesPage = onDemand(() => import('../rollouts/FilesPage.tsx'));
const ModelsPage = onDemand(() => import('../models/ModelsPage.tsx'));
const NowherePage = onDemand(() => import('./NowherePage.tsx'));
const ReaderPage = onDemand(() => import('../rollouts/reader/ReaderPage.tsx'));
const RunsPage = onDemand(() => import('../runs/RunsPage.tsx'));
const TrainPage = onDemand(() => import('../train/TrainPage.tsx'));

/** A page at an address; its chunk is loaded on first use. */
interface Page {
  /** Route pattern; parameters after a colon are passed to `show`. */
  path: string;
  /** Its folder in `src/ui`, for its scoped styles. */
  place: string;
  show: (params: Readonly<Record<string, string | undefined>>) => ReactNode;
}

/** A page of the rail. */
export interface RailPage extends Page {
  name: string;
  /** Letter of the rail, and of the key sequence `g` + letter. */
  letter: string;
  icon: IconName;
  /** Preloads its chunk, if it has one. */
  prepare?: () => void;
}

/** Pages in rail order. */
export const RAIL: readonly RailPage[] = [
  { path: ASK, name: 'Ask', letter: 'a', icon: 'ask', place: 'ask', show: () => <AskPage /> },
  {
    path: '/rollouts',
    name: 'Rollouts',
    letter: 'o',
    icon: 'rollouts',
    place: 'rollouts',
    show: () => <FilesPage />,
    prepare: FilesPage.prepare,
  },
  {
    path: '/train',
    name: 'Train',
    letter: 't',
    icon: 'train',
    place: 'train',
    show: () => <TrainPage />,
    prepare: TrainPage.prepare,
  },
  {
    path: '/runs',
    name: 'Runs',
    letter: 'r',
    icon: 'runs',
    place: 'runs',
    show: () => <RunsPage />,
    prepare: RunsPage.prepare,
  },
  {
    path: '/corpus',
    name: 'Corpus',
    letter: 'c',
    icon: 'corpus',
    place: 'corpus',
    show: () => <CorpusPage />,
    prepare: CorpusPage.prepare,
  },
  {
    path: '/models',
    name: 'Models',
    letter: 'm',
    icon: 'models',
    place: 'models',
    show: () => <ModelsPage />,
    prepare: ModelsPage.prepare,
  },
  {
    path: '/evaluate',
    name: 'Evaluate',
    letter: 'e',
    icon: 'evaluate',
    place: 'evaluate',
    show: () => <EvaluatePage />,
    prepare: EvaluatePage.prepare,
  },
];

/** The root is Ask. */
const toAsk = () => <Redirect to={`${ASK}${location.search}`} replace />;

/** All routes; the first match is shown. */
export const PAGES: readonly Page[] = [
  ...RAIL,
  { path: '/', place: 'ask', show: toAsk },
  {
    path: '/rollouts/:fileId',
    place: 'rollouts',
    // Another file remounts; the same file keeps its state when its query changes.
    show: ({ fileId = '' }) => <FilePage key={fileId} />,
  },
  { path: '/rollouts/:fileId/:rolloutId', place: 'rollouts', show: () => <ReaderPage /> },
  { path: '/evaluate/:id', place: 'evaluate', show: ({ id = '' }) => <EvaluatePage id={id} /> },
  { path: '/cluster', place: 'corpus', show: () => <ClusterPage /> },
  { path: '/*', place: 'shell', show: () => <NowherePage /> },
];
