import { createRouter } from '../../../src/agent/router/router.ts';
import { runRollout } from '../../../src/agent/run.ts';
import type { Passage } from '../../../src/records/records.ts';
import { TextPolicy } from '../../../src/policy/remote/text-policy.ts';
import { openWebLlm } from '../../../src/policy/remote/webllm/start.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import '../../../src/systems/rewards.ts';
import { createRetriever } from '../../../src/retrieval/create.ts';
import { LexicalIndex } from '../../../src/retrieval/lexical/lexical.ts';
import { LocalSource } from '../../../src/retrieval/local.ts';

/** A rollout with a WebLLM model, whose folder is served beside this page; its record ends in <output>. */

const passages: Passage[] = [
  { id: 'p0', title: 'Oslo', text: 'Oslo is in Norway.', sentences: ['Oslo is in Norway.'] },
];
const source = new LocalSource(passages, new LexicalIndex(passages), null);
const output = document.createElement('output');
const tell = (what: object): void => console.log(JSON.stringify(what));

async function rolloutOf(weights: string) {
  const worker = new Worker(new URL('../../../workers/webllm.ts', import.meta.url), {
    type: 'module',
  });
  const started = performance.now();
  const backend = await openWebLlm({
    id: 'model',
    worker,
    custom: [{ id: 'model', weights, library: `${weights}library.wasm`, maxContext: 1024 }],
    onProgress: tell,
  });
  const loadMs = performance.now() - started;
  tell({ loadMs });
  const policy = new TextPolicy(backend);
  const rollout = await runRollout(
    {
      policy,
      retriever: createRetriever({ local: source, web: source }),
      router: createRouter(),
      now: () => performance.timeOrigin + performance.now(),
    },
    {
      question: { id: 'q', text: 'Where is Oslo?', answers: ['Norway'], supporting: ['Oslo'] },
      // The shortest way from a prompt to an answer: on a CPU each token takes seconds.
      recipe: getRecipe('naive-generation'),
      overrides: { budgets: { tokens: 8, stepTokens: 4, answerTokens: 4, maxFaults: 2 } },
      seed: 3,
      rolloutId: 'r',
      runId: 'run',
      groupId: 'g',
      step: 0,
    },
    (update) => tell({ update, ms: performance.now() - started }),
  );
  policy.dispose();
  return { loadMs, totalMs: performance.now() - started, rollout };
}

const show = (what: object): void => {
  output.textContent = JSON.stringify(what);
  document.body.append(output);
};

rolloutOf(new URL('model/', location.href).href).then(show, (error: unknown) =>
  show({ failure: String(error) }),
);
