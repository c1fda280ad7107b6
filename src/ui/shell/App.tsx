import { MantineProvider, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { BASE } from '../kit/page/page-root.ts';
import { Guarded } from '../kit/page/Guarded.tsx';
import { PlaceLetters } from '../kit/place-letters.ts';
import { type ReactNode, useMemo } from 'react';
import { Route, Router, Switch, useLocation } from 'wouter';
import { CommandPalette, KeyList } from './CommandPalette.tsx';
import { useDialogs } from './dialogs.ts';
import { createCommands } from './commands.ts';
import { PAGES, RAIL } from './places.tsx';
import { LabLost } from '../lab/Loading.tsx';
import { Rail } from './Rail.tsx';
import { StatusBar } from './StatusBar.tsx';
import { StorageNotice } from './StorageNotice.tsx';
import { StrayDrop } from './StrayDrop.tsx';
import { theme } from '../kit/styles/theme.ts';
import { TopBar } from './TopBar.tsx';
import { closeExplanation, useExplained } from '../kit/words/explain/explain-store.ts';
import { closeTour, useTour } from '../tour/store/tour-store.ts';
import { useAddress } from '../ask/use-address.ts';
import { useKeys } from './use-keys.ts';
import { onDemand } from '../kit/page/on-demand.tsx';

// Loaded on first use.
const Explanation = onDemand(() => import('../kit/words/explain/Explanation.tsx'));
const Tour = onDemand(() => import('../tour/Tour.tsx'));

/** Styles apply only within their page; see `scripts/checks/check-styles.ts`. */
const At = (props: { place: string; children: ReactNode }) => (
  <div className={`at at-${props.place}`}>{props.children}</div>
);

/** Page letters; page shortcuts leave them to `g` + letter. */
const LETTERS: ReadonlySet<string> = new Set(RAIL.map(({ letter }) => letter));

const asPage = (fault: ReactNode) => <main className="page">{fault}</main>;

/** If an overlay fails, the page stays. */
const asMessage = (fault: ReactNode) => <div className="over-page">{fault}</div>;

/** The page at the address. */
const Pages = () => {
  const [here] = useLocation();
  const loading = <main className="page loading-page">Loading the page …</main>;
  return (
    <Guarded name="This page" loading={loading} resetKeys={[here]} around={asPage}>
      <Switch>
        {PAGES.map(({ path, place, show }) => (
          <Route key={path} path={path}>
            {(params) => <At place={place}>{show(params)}</At>}
          </Route>
        ))}
      </Switch>
    </Guarded>
  );
};

/** The next Tab goes to the first link or button of the page. */
const skipToPage = (): void => {
  const main = document.querySelector('main');
  if (main && !main.hasAttribute('tabindex')) main.tabIndex = -1;
  main?.focus();
};

/** The frame of every page, with dialogs. */
const Workbench = () => {
  const [path, go] = useLocation();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  // Rebuilt only with the theme, because key listeners use this list.
  const commands = useMemo(() => {
    const toggleTheme = () => setColorScheme(scheme === 'dark' ? 'light' : 'dark');
    return { toggleTheme, list: createCommands({ go, toggleTheme }) };
  }, [go, scheme, setColorScheme]);
  const dialog = useDialogs((state) => state.open);
  const explained = useExplained((state) => state.open !== null);
  const touring = useTour((state) => state.open);
  // Dialogs list the commands of the current page; shortcuts check when pressed.
  const here = commands.list.filter(({ when }) => when?.(path) ?? true);
  useKeys(commands.list);
  useAddress();
  return (
    <div className="frame">
      <button type="button" className="skip" onClick={skipToPage}>
        Skip to the page
      </button>
      <Rail />
      <TopBar toggleTheme={commands.toggleTheme} />
      <PlaceLetters value={LETTERS}>
        <Pages />
      </PlaceLetters>
      <StatusBar />
      <div className="messages">
        <StrayDrop />
        <StorageNotice />
        <LabLost />
      </div>
      {touring ? (
        <Guarded name="The tour" around={asMessage} hide={closeTour}>
          <Tour />
        </Guarded>
      ) : null}
      {explained ? (
        <Guarded name="The explanation" around={asMessage} hide={closeExplanation}>
          <Explanation />
        </Guarded>
      ) : null}
      {dialog === 'palette' ? <CommandPalette commands={here} /> : null}
      {dialog === 'keys' ? <KeyList commands={here} /> : null}
    </div>
  );
};

/** The app: theme, and routes relative to its base path. */
export const App = () => (
  <MantineProvider theme={theme} defaultColorScheme="auto">
    <Router base={BASE}>
      <Guarded name="The workbench" around={asPage}>
        <Workbench />
      </Guarded>
    </Router>
  </MantineProvider>
);
