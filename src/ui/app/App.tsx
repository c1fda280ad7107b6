import { MantineProvider, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { InspectPage } from '../inspect/InspectPage.tsx';
import { CommandPalette, KeyList } from './CommandPalette.tsx';
import { createCommands } from './commands.ts';
import { Rail } from './Rail.tsx';
import { StatusBar } from './StatusBar.tsx';
import { theme } from './theme.ts';
import { TopBar } from './TopBar.tsx';
import { useAddress } from './use-address.ts';
import { useKeys } from './use-keys.ts';

const CorpusPage = lazy(() => import('../pages/CorpusPage.tsx'));
const ModelsPage = lazy(() => import('../pages/ModelsPage.tsx'));
const LaterPage = lazy(() => import('../pages/LaterPage.tsx'));

const Pages = () => (
  <Suspense fallback={<main className="page">Loading the page …</main>}>
    <Switch>
      <Route path="/">
        <InspectPage />
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
  const [, go] = useLocation();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const commands = useMemo(() => {
    const toggleTheme = () => setColorScheme(scheme === 'dark' ? 'light' : 'dark');
    return { toggleTheme, list: createCommands({ go, toggleTheme }) };
  }, [go, scheme, setColorScheme]);
  useKeys(commands.list);
  useAddress();
  return (
    <div className="frame">
      <Rail />
      <TopBar toggleTheme={commands.toggleTheme} />
      <Pages />
      <StatusBar />
      <CommandPalette commands={commands.list} />
      <KeyList commands={commands.list} />
    </div>
  );
};

export const App = () => (
  <MantineProvider theme={theme} defaultColorScheme="auto">
    <Workbench />
  </MantineProvider>
);
