import '@mantine/core/styles.css';
import './kit/styles/theme.css';
import './kit/styles/base.css';
import './kit/styles/page.css';
import './kit/styles/tables.css';
import './kit/charts/charts.css';
import './kit/events/cards.css';
import './kit/tokens/tokens.css';
import './lab/loading.css';
import './setup/form/works-with.css';
import './shell/frame.css';
import { createRoot, type Root } from 'react-dom/client';
import { App } from './shell/App.tsx';
import { askBeforeLeaving } from './shell/ask-before-leaving.ts';
import { askLabUser } from './ask/store/lab-user.ts';
import { evaluateLabUser } from './evaluate/store/evaluate-actions.ts';
import { trainLabUser } from './train/store/train-actions.ts';
import { modelsLabUser } from './models/store/checkpoint-actions.ts';
import { connectLab } from './lab/connection.ts';
import { checkLinkedSetup } from './ask/store/linked-setup.ts';
import { askAhead } from './lab/first-files.ts';
import { isolate } from './lab/isolation.ts';
import { keepForOffline } from './lab/offline.ts';
import { openLab } from './lab/open-lab.ts';
import { useSetup } from './setup/setup-store.ts';
import { isRunning, useAsk } from './ask/store/ask-store.ts';
import { MantineProvider } from '@mantine/core';
import { theme } from './kit/styles/theme.ts';

/** Shown while the page prepares its isolation reload. */
const Isolating = () => (
  <MantineProvider theme={theme} defaultColorScheme="auto">
    <main className="page" role="status">
      <h1>One moment</h1>
      <p>
        This host does not send the headers that isolate the page from other sites. Forage adds them
        and reloads once, only on the first visit.
      </p>
    </main>
  </MantineProvider>
);

/** Opens the lab, then draws the page; in this order, so that no page calls a lab that is not there. */
const start = (root: Root): void => {
  // The lab worker begins to load before the first thing is drawn; it starts the others when a page needs them.
  connectLab({
    open: openLab,
    device: () => useAsk.getState().address.settings.device,
    askAhead,
    users: [askLabUser, trainLabUser, evaluateLabUser, modelsLabUser],
  });
  askBeforeLeaving();
  // An address may name another setup than the one chosen here: that is found out before it is run.
  void checkLinkedSetup();

  // A development server has no list of files to keep.
  if (import.meta.env.PROD)
    keepForOffline({
      now: () => useAsk.getState().runRequested || isRunning(useAsk.getState().run),
      subscribe: (listener) => useAsk.subscribe(listener),
    });

  root.render(<App />);
};

const open = async (element: HTMLElement): Promise<void> => {
  const root = createRoot(element);
  const isolating = (): void => {
    root.render(<Isolating />);
    // The time until then is not lost for what the next load needs.
    askAhead(['lab', 'sources', 'policy'], useSetup.getState().setup);
  };
  // True: the page is about to be loaded once more, and what began now would be cut off.
  if (!(await isolate(isolating))) start(root);
};

const element = document.getElementById('root');
if (element) void open(element);
