import { MantineProvider, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { AskPage } from '../ask/AskPage.tsx';
import { ASK } from '../kit/routes.ts';
import { BASE } from '../kit/page/page-root.ts';
import { type ReactNode, Suspense, lazy, useMemo } from 'react';
import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { CommandPalette, KeyList } from './CommandPalette.tsx';
import { useDialogs } from './dialogs.ts';
import { createCommands } from './commands.ts';
import { Rail } from './Rail.tsx';
import { StatusBar } from './StatusBar.tsx';
import { theme } from './theme.ts';
import { TopBar } from './TopBar.tsx';
import { useAddress } from '../ask/use-address.ts';
import { useKeys } from './use-keys.ts';

const ClusterPage = lazy(() => import('../corpus/clusters/ClusterPage.tsx'));
const FilePage = lazy(() => import('../rollouts/file/FilePage.tsx'));
const FilesPage = lazy(() => import('../rollouts/FilesPage.tsx'));
const ReaderPage = lazy(() => import('../rollouts/reader/ReaderPage.tsx'));
const CorpusPage = lazy(() => import('../corpus/CorpusPage.tsx'));
const ModelsPage = lazy(() => import('../models/ModelsPage.tsx'));
const RunsPage = lazy(() => import('../runs/RunsPage.tsx'));
const TrainPage = lazy(() => import('../train/TrainPage.tsx'));
const LaterPage = lazy(() => import('./LaterPage.tsx'));

/** The root is Ask; version 0.1.0 gave its questions addresses there. */
const ToAsk = () => <Redirect to={`${ASK}${location.search}`} replace />;

/** The styles of a place hold within it alone; see `scripts/checks/check-styles.ts`. */
const At = (props: { place: string; children: ReactNode }) => (
  <div className={`at at-${props.place}`}>{props.children}</div>
);

const Pages = () => (
  <Suspense fallback={<main className="page">Loading the page …</main>}>
    <Switch>
      <Route path={ASK}>
        <At place="ask">
          <AskPage />
        </At>
      </Route>
      <Route path="/">
        <ToAsk />
      </Route>
      <Route path="/inspect">
        <ToAsk />
      </Route>
      <Route path="/rollouts">
        <At place="rollouts">
          <FilesPage />
        </At>
      </Route>
      <Route path="/rollouts/:fileId">
        {({ fileId }) => (
          <At place="rollouts">
            <FilePage key={fileId} />
          </At>
        )}
      </Route>
      <Route path="/rollouts/:fileId/:rolloutId">
        <At place="rollouts">
          <ReaderPage />
        </At>
      </Route>
      <Route path="/train">
        <At place="train">
          <TrainPage />
        </At>
      </Route>
      <Route path="/runs">
        <At place="runs">
          <RunsPage />
        </At>
      </Route>
      <Route path="/cluster">
        <At place="corpus">
          <ClusterPage />
        </At>
      </Route>
      <Route path="/corpus">
        <At place="corpus">
          <CorpusPage />
        </At>
      </Route>
      <Route path="/models">
        <At place="models">
          <ModelsPage />
        </At>
      </Route>
      <Route path="/:page">{({ page }) => <LaterPage page={page} />}</Route>
    </Switch>
  </Suspense>
);

const Workbench = () => {
  const [path, go] = useLocation();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const commands = useMemo(() => {
    const toggleTheme = () => setColorScheme(scheme === 'dark' ? 'light' : 'dark');
    return { toggleTheme, list: createCommands({ go, toggleTheme }) };
  }, [go, scheme, setColorScheme]);
  const dialog = useDialogs((state) => state.open);
  const here = commands.list.filter(({ when }) => when?.(path) ?? true);
  useKeys(commands.list);
  useAddress();
  return (
    <div className="frame">
      <Rail />
      <TopBar toggleTheme={commands.toggleTheme} />
      <Pages />
      <StatusBar />
      {dialog === 'palette' ? <CommandPalette commands={here} /> : null}
      {dialog === 'keys' ? <KeyList commands={here} /> : null}
    </div>
  );
};

export const App = () => (
  <MantineProvider theme={theme} defaultColorScheme="auto">
    <Router base={BASE}>
      <Workbench />
    </Router>
  </MantineProvider>
);
