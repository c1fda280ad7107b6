import '@mantine/core/styles.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/inspect.css';
import './styles/cards.css';
import './styles/train.css';
import './styles/cluster.css';
import './styles/corpus.css';
import './styles/models.css';
import './styles/browse.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { connectLab } from './stores/connection.ts';
import { checkLinkedSetup } from './stores/linked-setup.ts';
import { keepForOffline } from './stores/offline.ts';
import { openLab } from './stores/open-lab.ts';
import { useView } from './stores/view-store.ts';

// The workers begin to load before the first thing is drawn.
connectLab(openLab, useView.getState().address.settings.device);
void checkLinkedSetup();

// A development server has no list of files to keep.
if (import.meta.env.PROD) keepForOffline();

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
