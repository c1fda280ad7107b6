import { expect, it } from 'vitest';
import { createRouter } from '../../../../src/agent/router/router.ts';
import { runRollout } from '../../../../src/agent/run.ts';
import { recipeFor } from '../../../../src/lab/ask/request.ts';
import { DEFAULT_SETTINGS } from '../../../../src/lab/contract/settings.ts';
import { EndpointBackend } from '../../../../src/policy/remote/endpoint/backend.ts';
import { EndpointClient } from '../../../../src/policy/remote/endpoint/client.ts';
import { TextPolicy } from '../../../../src/policy/remote/text-policy.ts';
import { getRecipe } from '../../../../src/systems/index.ts';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import { openSummarizer } from '../../../../src/retrieval/summarize/index.ts';
import { eventsOf, retrieverOver } from '../../../agent/helpers.ts';
import { CHECKPOINTS, publishedServer } from './published.ts';

/** Published checkpoints behind a server, each asked in the protocol that it was trained in. */

const QUESTION = {
  id: 'q',
  text: 'Who is the author of Old Wolf?',
  answers: ['Victor Kerlund'],
  supporting: ['Old Wolf'],
};
const QUERY = 'author of Old Wolf';

it.each(Object.keys(CHECKPOINTS))(
  'a published checkpoint of %s searches, reads and answers in its own tags',
  async (recipe) => {
    const { server, prompts, search, opens } = await publishedServer(
      recipe,
      QUERY,
      'Victor Kerlund',
    );
    try {
      const endpoint = { id: 'e', url: server.url, model: 'published', maxContext: 4096 };
      const backend = new EndpointBackend(
        { ...endpoint, api: 'completions' },
        new EndpointClient({ url: server.url, model: 'published' }),
      );
      const reads = getRecipe(recipe).settings.retrieval.summarize === 'on';
      expect(reads).toBe(recipe === 'ur2');
      const summarizer = reads ? ({ kind: 'extractive' } as const) : ({ kind: 'off' } as const);
      const rollout = await runRollout(
        {
          policy: new TextPolicy(backend),
          retriever: retrieverOver(),
          router: createRouter(),
          now: Date.now,
          summarizer: openSummarizer(summarizer),
        },
        {
          question: QUESTION,
          ...recipeFor({ ...DEFAULT_SETTINGS, recipe }, { ...BUILT_IN_SETUP, summarizer }),
          seed: 7,
          rolloutId: 'r',
          runId: 'run',
          groupId: 'g',
          step: 0,
        },
      );
      expect(rollout).toMatchObject({ answer: 'Victor Kerlund', metrics: { em: 1 } });
      expect(eventsOf(rollout, 'search').map(({ query }) => query)).toEqual([QUERY]);
      expect(eventsOf(rollout, 'summarize')).toHaveLength(reads ? 1 : 0);
      expect(rollout.segments.filter(({ role }) => role === 'hint')).toEqual([]);
      expect(eventsOf(rollout, 'error')).toEqual([]);
      // It was notified of its own tags alone.
      expect(prompts[0]).toContain(opens);
      for (const prompt of prompts) expect(prompt).not.toContain('short_answer');
      expect(prompts.at(-1)).toContain(search);
    } finally {
      await server.close();
    }
  },
);
