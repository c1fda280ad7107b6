import '@mantine/core/styles.css';
import '../../../src/ui/styles/base.css';
import '../../../src/ui/styles/frame.css';
import '../../../src/ui/styles/inspect.css';
import '../../../src/ui/styles/cards.css';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { App } from '../../../src/ui/app/App.tsx';
import { connectLab } from '../../../src/ui/stores/connection.ts';
import data from './data.json';
const ready = (note: string) => ({ status: 'ready' as const, note, loadedBytes: 1, totalBytes: 1, failure: null });
connectLab((receive) => {
  receive([
    { type: 'parts', parts: { world: ready('loaded'), retrieval: ready('BM25+'), policy: ready('ok') } },
    { type: 'questions', rows: data.rows as never, facts: { localPassages: 4267, webPassages: 8300, questions: 3160 } },
    { type: 'policy', info: { id: 'baize-mini', revision: 'abc', parameters: 1050000, maxContext: 1024, device: 'wasm', dtype: 'f16' }, device: { device: 'wasm', adapter: '2 cores', fallback: false } },
  ]);
  return {
    run: async (request) => {
      const run = { runId: request.runId, status: 'running' as const, tokens: 0, tokensPerSecond: 1234, failure: null };
      receive([{ type: 'run', run }]);
      for (const u of data.updates as never[]) { const { rolloutId } = u as { rolloutId: string }; if (Number(rolloutId.slice(1)) < request.settings.rollouts) receive([{ type: 'updates', updates: [u] }]); await new Promise((r) => setTimeout(r, 5)); }
      receive([{ type: 'run', run: { ...run, status: 'done' } }]);
    },
    cancel: async () => {}, retry: async () => {},
    question: async () => data.question as never,
    pieces: async (ids) => ids.map((id) => ` t${id}`),
    search: async () => ({ hits: [], latencyMs: 1 }),
  };
}, 'auto');
createRoot(document.getElementById('root')!).render(<Router base="/test/ui/harness"><App /></Router>);
