import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { factsOf } from '../../../src/runs/checkpoints/facts.ts';
import { CheckpointFault } from '../../../src/runs/checkpoints/fault.ts';
import { planSchema } from '../../../src/runs/checkpoints/plan.ts';
import { planFolder } from '../../../src/runs/checkpoints/plan-folder.ts';
import { planHub } from '../../../src/runs/checkpoints/plan-hub.ts';
import { HUB, type RemoteSource } from '../../../src/runs/checkpoints/source.ts';
import type { Web } from '../../../src/runs/checkpoints/web.ts';
import { shardedFiles } from './hub-server.ts';

/** 10,000 damaged answers of a hub and index files: a plan that can be stored, or a typed error. */

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const FILES = shardedFiles(4);
const INDEX = 'model.safetensors.index.json';
const INFO = JSON.stringify({
  id: 'forage/tiny',
  sha: COMMIT,
  siblings: [...FILES].map(([rfilename, { length }]) => ({
    rfilename,
    size: length,
    lfs: rfilename.endsWith('.safetensors') ? { sha256: 'a'.repeat(64), size: length } : null,
  })),
});
const INDEX_TEXT = new TextDecoder().decode(FILES.get(INDEX));

const SPLICES = [
  '{}',
  '[]',
  'null',
  '-1',
  '1e999',
  '"',
  '\\',
  '../',
  '/',
  '"__proto__":{}',
  '\u0000',
  ' ',
  '999999999999999999999',
  '"../../etc/passwd"',
  '"a/b.safetensors"',
  '".safetensors"',
  'true',
  ',',
  ':',
  '\ud800',
  'é',
];

interface Mutation {
  at: number;
  drop: number;
  put: string;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  drop: fc.integer({ min: 0, max: 30 }),
  put: fc.oneof(fc.constantFrom(...SPLICES), fc.string({ maxLength: 4 })),
});

/** A text with some places damaged. */
const spoiled = (text: string, mutations: readonly Mutation[]): string =>
  mutations.reduce((now, { at, drop, put }) => {
    const from = Math.floor(at * now.length);
    return now.slice(0, from) + put + now.slice(from + drop);
  }, text);

/** A value of the answer replaced by another of some kind, which stays JSON. */
const odd = fc.oneof(
  fc.constantFrom(null, -1, 1e300, '', '..', 'x'.repeat(300), [], {}, [null], true),
  fc.jsonValue({ maxDepth: 2 }),
);

const replaced = (text: string, at: number, value: unknown): string => {
  const places = [...text.matchAll(/(?<=[:[,])("[^"]*"|\d+|null|\[|\{)/g)];
  const place = places[Math.floor(at * places.length)];
  if (!place || /[[{]/.test(place[0]))
    return text.replace(/:\[.*$|:\{.*$/s, `:${JSON.stringify(value)}}`);
  return (
    text.slice(0, place.index) + JSON.stringify(value) + text.slice(place.index + place[0].length)
  );
};

const change = fc.oneof(
  fc
    .array(mutation, { minLength: 1, maxLength: 4 })
    .map((list) => (text: string) => spoiled(text, list)),
  fc.tuple(fc.double({ min: 0, max: 0.9999, noNaN: true }), odd).map(
    ([at, value]) =>
      (text: string) =>
        replaced(text, at, value),
  ),
);

const serving = (answers: Record<string, string>): Web => ({
  online: () => true,
  origin: null,
  fetch: (input) => {
    const url = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;
    const name = url.includes('/api/models/') ? 'info' : (url.split('/').at(-1) ?? '');
    const body = answers[name] ?? new TextDecoder().decode(FILES.get(name));
    return Promise.resolve(new Response(body));
  },
});

const SOURCE: Extract<RemoteSource, { kind: 'hub' }> = {
  kind: 'hub',
  base: HUB,
  repository: 'forage/tiny',
  revision: 'main',
};

const tally = { plans: 0, faults: 0 };

async function checked(act: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  try {
    const plan = planSchema.parse(await act());
    factsOf(plan.config);
    for (const { name } of plan.files) expect(name).toMatch(/^[A-Za-z0-9][\w.-]*$/);
    tally.plans++;
  } catch (error) {
    if (!(error instanceof CheckpointFault)) throw error;
    expect(error.message.length).toBeLessThan(600);
    expect(error.next).not.toBe('');
    tally.faults++;
  }
  expect(performance.now() - started).toBeLessThan(1000);
}

it('answers of a hub', async () => {
  await fc.assert(
    fc.asyncProperty(change, (spoil) =>
      checked(() => planHub(serving({ info: spoil(INFO) }), SOURCE)),
    ),
    { numRuns: 4000 },
  );
  // Both ends are met, so that neither branch is empty.
  expect(tally.plans).toBeGreaterThan(100);
  expect(tally.faults).toBeGreaterThan(1000);
});

it('index and config files, of a hub and of a folder', async () => {
  await fc.assert(
    fc.asyncProperty(change, (spoil) =>
      checked(() => planHub(serving({ info: INFO, [INDEX]: spoil(INDEX_TEXT) }), SOURCE)),
    ),
    { numRuns: 3000 },
  );
  const config = new TextDecoder().decode(FILES.get('config.json'));
  await fc.assert(
    fc.asyncProperty(change, fc.boolean(), (spoil, index) => {
      const files = new Map<string, BlobPart>(
        [...FILES].map(([name, bytes]) => [name, new Uint8Array(bytes)]),
      );
      if (index) files.set(INDEX, spoil(INDEX_TEXT));
      else files.set('config.json', spoil(config));
      return checked(() =>
        planFolder(
          [...files].map(([name, part]) => ({
            path: `tiny/${name}`,
            file: new File([part], name),
          })),
        ),
      );
    }),
    { numRuns: 3000 },
  );
});
