import { lazy, type ReactNode } from 'react';
import { Redirect } from 'wouter';
import { AskPage } from '../ask/AskPage.tsx';
import { ASK } from '../ask/store/permalink.ts';
import type { IconName } from '../kit/Icon.tsx';

// Ask alone comes with the workbench: it is what most visits begin with.
const ClusterPage = lazy(() => import('../corpus/clusters/ClusterPage.tsx'));
const CorpusPage = lazy(() => import('../corpus/CorpusPage.tsx'));
const EvaluatePage = lazy(() => import('../evaluate/EvaluatePage.tsx'));
const FilePage = lazy(() => import('../rollouts/file/FilePage.tsx'));
const FilesPage = lazy(() => import('../rollouts/FilesPage.tsx'));
const ModelsPage = lazy(() => import('../models/ModelsPage.tsx'));
const NowherePage = lazy(() => import('./NowherePage.tsx'));
const ReaderPage = lazy(() => import('../rollouts/reader/ReaderPage.tsx'));
const RunsPage = lazy(() => import('../runs/RunsPage.tsx'));
const TrainPage = lazy(() => import('../train/TrainPage.tsx'));

/** A page of the workbench at an address; the file of a page is loaded when it is first opened. */
interface Page {
  /** Pattern of addresses; what stands behind a colon is handed to `show`. */
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
  },
  {
    path: '/train',
    name: 'Train',
    letter: 't',
    icon: 'train',
    place: 'train',
    show: () => <TrainPage />,
  },
  {
    path: '/runs',
    name: 'Runs',
    letter: 'r',
    icon: 'runs',
    place: 'runs',
    show: () => <RunsPage />,
  },
  {
    path: '/corpus',
    name: 'Corpus',
    letter: 'c',
    icon: 'corpus',
    place: 'corpus',
    show: () => <CorpusPage />,
  },
  {
    path: '/models',
    name: 'Models',
    letter: 'm',
    icon: 'models',
    place: 'models',
    show: () => <ModelsPage />,
  },
  {
    path: '/evaluate',
    name: 'Evaluate',
    letter: 'e',
    icon: 'evaluate',
    place: 'evaluate',
    show: () => <EvaluatePage />,
  },
];

/** The root is Ask; version 0.1.0 gave its questions addresses there and at `/inspect`. */
const toAsk = () => <Redirect to={`${ASK}${location.search}`} replace />;

/** Every address of the workbench; of two that fit, the first is shown. */
export const PAGES: readonly Page[] = [
  ...RAIL,
  { path: '/', place: 'ask', show: toAsk },
  { path: '/inspect', place: 'ask', show: toAsk },
  {
    path: '/rollouts/:fileId',
    place: 'rollouts',
    // Another file begins anew; one and the same stays as it is when its query changes.
    show: ({ fileId = '' }) => <FilePage key={fileId} />,
  },
  { path: '/rollouts/:fileId/:rolloutId', place: 'rollouts', show: () => <ReaderPage /> },
  { path: '/evaluate/:id', place: 'evaluate', show: ({ id = '' }) => <EvaluatePage id={id} /> },
  { path: '/cluster', place: 'corpus', show: () => <ClusterPage /> },
  { path: '/*', place: 'shell', show: () => <NowherePage /> },
];
