import { MantineProvider, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { BASE, pagePath } from '../kit/page/page-root.ts';
import { Guarded } from '../kit/page/Guarded.tsx';
import { PlaceLetters } from '../kit/place-letters.ts';
import { type ReactNode, useMemo, useEffect, useRef } from 'react';
import { Route, Router, Switch, useLocation, useRoute, Link } from 'wouter';
import { CommandPalette, KeyList } from './CommandPalette.tsx';
import { createCommands, hearsKeys, type Command } from './commands.ts';
import { PAGES, RAIL, type RailPage } from './places.tsx';
import { LabLost } from '../lab/Loading.tsx';
import { StatusBar } from './StatusBar.tsx';
import { asSentence } from '../../base/errors.ts';
import {
  faultSentence,
  STORAGE_BROKEN,
  STORAGE_DENIED,
  STORAGE_GONE,
} from '../../base/storage-faults.ts';
import { onStorageNews, type StorageNews } from '../../lab/contract/storage-news.ts';
import { StrayDrop } from './StrayDrop.tsx';
import { theme } from '../kit/styles/theme.ts';
import { TopBar } from './TopBar.tsx';
import { closeExplanation, useExplained } from '../kit/words/explain/explain-store.ts';
import { closeTour } from '../tour/tour-actions.ts';
import { flushSync } from 'react-dom';
import { onDemand } from '../kit/page/on-demand.tsx';
import { toggleDialog, useSession } from '../kit/session-store.ts';
import { ASK, formatAddress, parseAddress, placeOf } from '../ask/store/permalink.ts';
import { startRun } from '../ask/store/actions.ts';
import { checkLinkedSetup } from '../ask/store/linked-setup.ts';
import { addressOf, useAsk } from '../ask/store/ask-store.ts';
import { readsSummaries } from '../setup/reads-summaries.ts';
import { fitSummarizer } from '../setup/setup-store.ts';
import { openLinked } from '../ask/siblings/open-linked.ts';
import { Icon } from '../kit/Icon.tsx';

/** A link of the rail, marked on its page and subpages. */
const Item = ({ route }: { route: RailPage }) => {
  const [path] = useLocation();
  const active = path === route.path || path.startsWith(`${route.path}/`);
  return (
    <Link
      href={route.path}
      className={active ? 'rail-item active' : 'rail-item'}
      aria-current={active ? 'page' : undefined}
      title={`${route.name} (g ${route.letter})`}
      // Preloads on hover.
      onPointerEnter={route.prepare}
      onFocus={route.prepare}
    >
      <Icon name={route.icon} size={18} />
      <span>{route.name}</span>
    </Link>
  );
};

/** Links to all pages. */
export const Rail = () => (
  <nav className="rail" aria-label="Places">
    {RAIL.map((route) => (
      <Item key={route.path} route={route} />
    ))}
  </nav>
);

/** Keeps the address bar and the parsed address in sync, including "back". */
const useAddress = (): void => {
  const [ask] = useRoute(ASK);
  const address = useAsk((state) => state.address);
  useEffect(() => {
    if (!ask) return;
    const nextSearch = formatAddress(address);
    if (nextSearch === location.search) return;
    const before = parseAddress(location.search).address;
    // A new question is a new history entry; a step or a setting is not.
    const moved = placeOf(before) !== '' && placeOf(before) !== placeOf(address);
    const url = `${location.pathname}${nextSearch}`;
    if (moved && address.asked?.kind === 'world') history.pushState(null, '', url);
    else history.replaceState(null, '', url);
  }, [address, ask]);
  useEffect(() => {
    const onPop = () => {
      if (pagePath() !== ASK) return;
      const { address } = parseAddress(location.search);
      const { source, request } = useAsk.getState();
      const shown = placeOf({ of: addressOf(source), asked: request?.asked ?? null });
      if (address.of) {
        // The address has no question; the current one stays.
        const { settings, setup, asked } = useAsk.getState().address;
        useAsk.setState({ address: { ...address, settings, setup, asked }, selection: null });
        if (shown !== placeOf(address)) void openLinked(address.of);
        return;
      }
      useAsk.setState({ address, selection: null });
      if (source) useAsk.getState().clear();
      fitSummarizer(readsSummaries(address.settings.recipe));
      // The run of that address is no longer on the screen; it is repeated.
      void checkLinkedSetup().then((same) => {
        if (same && address.run && shown !== placeOf(address)) void startRun();
      });
    };
    addEventListener('popstate', onPop);
    return () => removeEventListener('popstate', onPop);
  }, []);
};

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

const SENTENCES: Record<StorageNews, string> = {
  deleted: faultSentence(STORAGE_GONE),
  denied: faultSentence(STORAGE_DENIED),
  broken: faultSentence(STORAGE_BROKEN),
  blocked:
    'An older version of Forage is open in another tab and locks the stored data; close that tab, and this page continues',
};

const show = (storageNews: StorageNews | null): void => useSession.setState({ storageNews });

/** Storage that was deleted, or cannot be opened. Asking works without it, so the page stays. */
const StorageNotice = () => {
  const news = useSession((state) => state.storageNews);
  useEffect(() => onStorageNews(show), []);
  return news === null ? null : (
    <div className="stray-drop" role="alert" data-testid="storage-news">
      <span>⚠ {asSentence(SENTENCES[news])}</span>
      {news === 'blocked' ? null : (
        <button type="button" className="link strong" onClick={() => location.reload()}>
          Reload
        </button>
      )}
      <button
        type="button"
        className="link"
        aria-label="Hide this message"
        onClick={() => show(null)}
      >
        ✕
      </button>
    </div>
  );
};

/** A `g` without a following key within this time is a key of its own. */
const SEQUENCE_MS = 450;

/** Elements that use letters, arrows or the space bar themselves. */
const OWN_KEYS = 'input, textarea, select, [role=slider], [contenteditable=true]';

/** Whether the focused element handles the key itself. */
const usesKey = (target: EventTarget | null, key: string): boolean => {
  if (!(target instanceof Element)) return false;
  if (target.closest(OWN_KEYS)) return key !== 'Escape';
  // A list uses arrows, Home, End and the space bar, but no letters.
  if (target.closest('[role=listbox]')) return key !== 'Escape' && (key === ' ' || key.length > 1);
  // The space bar controls playback even on cards; Enter shows them in full.
  if (key === ' ' && target.closest('.round-card .part, .round-name')) return false;
  return (key === ' ' || key === 'Enter') && target.closest('button, a, summary') !== null;
};

/** Global keyboard shortcuts, including `g` sequences; inactive in fields and dialogs. */
const useKeys = (commands: readonly Command[]): void => {
  const prefix = useRef('');
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      // Also in fields and dialogs, because it closes what it opened.
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        // Rendered at once: the next key goes into its field.
        flushSync(() => toggleDialog('palette'));
        return;
      }
      const { dialog } = useSession.getState();
      if (event.metaKey || event.ctrlKey || event.altKey || dialog !== null) return;
      if (usesKey(event.target, event.key)) return;
      const key = prefix.current ? `${prefix.current} ${event.key}` : event.key;
      const starts = event.key === 'g' && !prefix.current;
      prefix.current = starts ? 'g' : '';
      clearTimeout(waiting.current);
      const here = commands.filter((command) => hearsKeys(command, pagePath()));
      const command =
        here.find(({ keys }) => keys.includes(key)) ??
        // The letter after an unmatched `g` is a key of its own.
        here.find(({ keys }) => keys.includes(event.key));
      if (!command) return;
      event.preventDefault();
      // `g` waits, because a letter may follow.
      if (!starts) return command.act();
      waiting.current = setTimeout(() => {
        prefix.current = '';
        command.act();
      }, SEQUENCE_MS);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [commands]);
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
  const dialog = useSession((state) => state.dialog);
  const explained = useExplained((state) => state.open !== null);
  const touring = useSession(({ tour }) => tour.open);
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
