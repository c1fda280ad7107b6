import { MantineProvider, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';
import { Route, Router, Switch, useLocation } from 'wouter';
import { AskPage } from '../ask/AskPage.tsx';
import { BASE } from '../kit/page/page-root.ts';
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

const Pages = () => (
  <Suspense fallback={<main className="page">Loading the page …</main>}>
    <Switch>
      <Route path="/">
        <AskPage />
      </Route>
      <Route path="/rollouts">
        <FilesPage />
      </Route>
      <Route path="/rollouts/:fileId">{({ fileId }) => <FilePage key={fileId} />}</Route>
      <Route path="/rollouts/:fileId/:rolloutId">
        <ReaderPage />
      </Route>
      <Route path="/train">
        <TrainPage />
      </Route>
      <Route path="/runs">
        <RunsPage />
      </Route>
      <Route path="/cluster">
        <ClusterPage />
      </Route>
      <Route path="/corpus">
        <CorpusPage />
      </Route>
      <Route path="/models">
        <ModelsPage />
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
