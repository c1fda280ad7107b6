import type { ReactNode } from 'react';
import { Redirect } from 'wouter';
import { AskPage } from '../ask/AskPage.tsx';
import { ASK } from '../ask/store/permalink.ts';
import type { IconName } from '../kit/Icon.tsx';
import { onDemand } from '../kit/page/on-demand.tsx';

// Ask alone comes with the workbench: it is what most visits begin with.
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

/** A page of the workbench at an address; the file of a page is loaded when it is first opened. */
interface Page {
  /** Pattern of addresses; what is after a colon is handed to `show`. */
  path: string;
  /** Place whose styles hold in it: its folder in `src/ui`. */
  place: string;
  show: (params: Readonly<Record<string, string | undefined>>) => ReactNode;
}

/** A page that the rail leads to. */
export interface RailPage extends Page {
  name: string;
  /** Letter of the rail, and of the key sequence `g` + letter. */
  letter: string;
  icon: IconName;
  /** Asks for its file, where it has one of its own. */
  prepare?: () => void;
}

/** The places of the workbench, in the order of the rail. */
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

/** Every address of the workbench; of two that fit, the first is shown. */
export const PAGES: readonly Page[] = [
  ...RAIL,
  { path: '/', place: 'ask', show: toAsk },
  {
    path: '/rollouts/:fileId',
    place: 'rollouts',
    // Another file restarts; one and the same stays as it is when its query changes.
    show: ({ fileId = '' }) => <FilePage key={fileId} />,
  },
  { path: '/rollouts/:fileId/:rolloutId', place: 'rollouts', show: () => <ReaderPage /> },
  { path: '/evaluate/:id', place: 'evaluate', show: ({ id = '' }) => <EvaluatePage id={id} /> },
  { path: '/cluster', place: 'corpus', show: () => <ClusterPage /> },
  { path: '/*', place: 'shell', show: () => <NowherePage /> },
];
