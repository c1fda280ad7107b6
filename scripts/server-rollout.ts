/**
 * One rollout through an OpenAI-compatible server, to its end, as the page runs it:
 * npx tsx scripts/server-rollout.ts http://localhost:8080/v1 MODEL [chat|chat-continue|completions]
 *
 * Searches one passage by words. Prints the connection test, then the events.
 */
import { z } from 'zod';
import { createRouter } from '../src/agent/router/router.ts';
import { runRollout } from '../src/agent/run.ts';
import type { Passage } from '../src/records/records.ts';
import { endpointSchema, type Endpoint } from '../src/records/setup.ts';
import { EndpointBackend } from '../src/policy/remote/endpoint/backend.ts';
import { EndpointClient } from '../src/policy/remote/endpoint/client.ts';
import { testEndpoint } from '../src/policy/remote/endpoint/test-connection.ts';
import { TextPolicy } from '../src/policy/remote/text-policy.ts';
import { getRecipe } from '../src/systems/index.ts';
import '../src/systems/rewards.ts';
import { createRetriever } from '../src/retrieval/create.ts';
import { LexicalIndex } from '../src/retrieval/lexical/lexical.ts';
import { LocalSource } from '../src/retrieval/local.ts';

const passages: Passage[] = [
  {
    id: 'p0',
    title: 'Northern Drum',
    text: 'Northern Drum is a film directed by Isak Zanbach.',
    sentences: ['Northern Drum is a film directed by Isak Zanbach.'],
  },
];

async function rolloutOf(endpoint: Endpoint, recipe: string) {
  const { url, model } = endpoint;
  const policy = new TextPolicy(new EndpointBackend(endpoint, new EndpointClient({ url, model })));
  const source = new LocalSource(passages, new LexicalIndex(passages), null);
  return runRollout(
    {
      policy,
      retriever: createRetriever({ local: source, web: source }),
      router: createRouter(),
      now: () => Date.now(),
    },
    {
      question: {
        id: 'q',
        text: 'Who directed Northern Drum?',
        answers: ['Isak Zanbach'],
        supporting: ['Northern Drum'],
      },
      recipe: getRecipe(recipe),
      seed: 1,
      rolloutId: 'r',
      runId: 'run',
      groupId: 'g',
      step: 0,
    },
  );
}

const [url, model, api = 'chat', recipe = 'search', context = '4096'] = process.argv.slice(2);
const parsed = endpointSchema.safeParse({ id: 'e', url, model, api, maxContext: Number(context) });
if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
const endpoint = parsed.data;
console.log(await testEndpoint(endpoint, process.env['FORAGE_KEY'] ?? ''));
const started = performance.now();
const { events, segments, policy, answer } = await rolloutOf(endpoint, recipe);
for (const event of events) console.log(JSON.stringify(event).slice(0, 240));
const sampled = segments.filter(({ mask }) => mask === 1);
console.log({
  answer,
  seconds: (performance.now() - started) / 1000,
  segments: segments.length,
  pieces: sampled.flatMap(({ ids }) => ids).length,
  logprobs: sampled.flatMap(({ logprobs }) => logprobs ?? []).length,
  told: policy.logprobs,
});
