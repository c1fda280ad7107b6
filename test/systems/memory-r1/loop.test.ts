import { expect, it } from 'vitest';
import { remembered } from '../../../src/systems/memory-r1/loop.ts';
import { hit, passage } from '../../fixtures/rollouts.ts';
import { eventsOf, run } from '../../agent/helpers.ts';

const hits = [
  hit(passage('a', 'Ada', 'Ada lives in Oslo.', 'Ada paints.')),
  hit(passage('b', 'Ada', 'Ada moved to Bergen.', 'Otto lives in Rome.')),
];
const read = (query: string, cap: number, most: number): string[] =>
  remembered(query, hits, { cap, read: most }).map(({ passage: { text } }) => text);

it('a memory holds sentences, the first ones of too many, and those most like the question are read', () => {
  expect(read('Who paints?', 16, 1)).toEqual(['Ada paints.']);
  expect(read('Where does Otto live?', 16, 1)).toEqual(['Otto lives in Rome.']);
  expect(read('Where does Otto live?', 3, 9)).not.toContain('Otto lives in Rome.');
  // As the manager that only adds leaves it: both homes of Ada are read.
  expect(read('Where does Ada live?', 16, 3)).toEqual(
    expect.arrayContaining(['Ada lives in Oslo.', 'Ada moved to Bergen.']),
  );
  const ids = remembered('Ada', hits, { cap: 16, read: 4 }).map((one) => one.passage.id);
  expect(new Set(ids).size).toBe(4);
});

it('a rollout reads facts in place of passages', async () => {
  const { rollout } = await run(
    {
      main: [
        '<think> t</think><search> author of Old Wolf</search>',
        '<think> t</think><short_answer> \\boxed{ Borfield }</short_answer>',
      ],
    },
    {
      overrides: {
        retrieval: { source: 'local' },
        system: { id: 'memory-r1', memories: { cap: 16, read: 1 } },
      },
    },
  );
  const [found] = eventsOf(rollout, 'retrieve');
  expect(found?.hits.map((one) => one.passage.text)).toEqual([
    'Old Wolf was written by Victor Kerlund.',
  ]);
  expect(rollout.segments.find(({ role }) => role === 'result')?.text).not.toContain('1931');
});
