import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { runRollout } from '../../src/agent/run.ts';
import { createRouter } from '../../src/agent/router/router.ts';
import { NoisyRetriever } from '../../src/learn/curriculum/noisy-retriever.ts';
import { cachingRetriever } from '../../src/handover/environment/caching-retriever.ts';
import { getRecipe } from '../../src/systems/index.ts';
import { SEARCH_METHODS } from '../../src/recipes/parts/settings.ts';
import { openWorldRetriever, type WorldRetriever } from '../../src/retrieval/open.ts';
import type { Retriever } from '../../src/retrieval/retriever.ts';
import { METHOD_IDS } from '../../src/retrieval/setup.ts';
import { loadWorld } from '../../src/retrieval/world/load.ts';
import { openEncoderFromDisk } from '../../src/cli/shared/build-world.ts';
import { builtIn } from '../../src/cli/shared/paths.ts';
import { QUESTION, eventsOf, retrieverOver } from '../agent/helpers.ts';
import { LOOP, base } from '../agent/loop-script.ts';
import { ScriptedPolicy } from '../agent/scripted-policy.ts';

/** A recipe's own way of searching the local source. */

const folder = new URL('../../public/world/', import.meta.url);
const fetchFile = (name: string): Promise<Uint8Array> => readFile(new URL(name, folder));

let retriever: WorldRetriever;
beforeAll(async () => {
  const world = await loadWorld(fetchFile);
  const encoder = await openEncoderFromDisk(builtIn('encoder'));
  retriever = openWorldRetriever(world, fetchFile, { encoder });
}, 120_000);

const found = async (by: Retriever, query: string): Promise<string[]> =>
  (await by.search('local', query, 5)).hits.map(({ passage }) => passage.id);

it('a recipe can name every method that there is, and no other', () => {
  expect([...SEARCH_METHODS].toSorted()).toEqual(['setup', ...METHOD_IDS].toSorted());
});

describe('the built-in world by another method', () => {
  it('is opened once, and finds what that method finds', { timeout: 240_000 }, async () => {
    const clusters = retriever.by?.('cluster');
    expect(clusters).toBeDefined();
    expect(retriever.by?.('cluster')).toBe(clusters);
    const { hits } = await retriever.by!('lexical').search('local', 'person born in the city', 5);
    // Words alone know no cosine; clusters know nothing else.
    expect(hits.every((hit) => hit.similarity === undefined)).toBe(true);
    const dense = await clusters!.search('local', 'person born in the city', 5);
    expect(dense.hits).toHaveLength(5);
    expect(
      dense.hits.every((hit) => hit.denseRank !== undefined && hit.lexicalRank === undefined),
    ).toBe(true);
  });

  it('stays so behind noise and behind a memory', { timeout: 120_000 }, async () => {
    const query = 'person born in the city';
    const words = await found(retriever.by!('lexical'), query);
    const noisy = new NoisyRetriever(retriever, { strength: 0, seed: 1, supporting: [] });
    expect(await found(noisy.by('lexical'), query)).toEqual(words);
    expect(await found(cachingRetriever(retriever).by!('lexical'), query)).toEqual(words);
  });
});

describe('a rollout whose recipe names a method', () => {
  const rolloutOf = (deps: Retriever) =>
    runRollout(
      {
        policy: new ScriptedPolicy({ main: LOOP }),
        retriever: deps,
        router: createRouter(),
        now: Date.now,
      },
      {
        question: QUESTION,
        recipe: getRecipe('search'),
        overrides: { ...base, retrieval: { method: 'lexical', source: 'local' } },
        seed: 1,
        rolloutId: 'r',
        runId: 'run',
        groupId: 'g',
        step: 0,
      },
    );

  it('searches by it, and its record says so', async () => {
    const asked: string[] = [];
    const plain = retrieverOver();
    const rollout = await rolloutOf({
      ...plain,
      by: (method) => {
        asked.push(method);
        return plain;
      },
    });
    expect(asked).toEqual(['lexical']);
    expect(rollout.recipe.settings).toMatchObject({ retrieval: { method: 'lexical' } });
    expect(eventsOf(rollout, 'retrieve')).toHaveLength(2);
  });

  it('ends with an error in words where the sources cannot be opened anew', async () => {
    const rollout = await rolloutOf(retrieverOver());
    expect(eventsOf(rollout, 'stop')[0]).toMatchObject({ reason: 'error' });
    expect(eventsOf(rollout, 'error')[0]?.message).toContain(
      'cannot be searched by "lexical"; leave retrieval.method out',
    );
  });
});
