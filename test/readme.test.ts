import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { fetchFromDisk } from '../src/cli/shared/build-world.ts';
import { loadWorld } from '../src/retrieval/world/load.ts';

/** What the README says and a clone can check in a moment. */

vi.setConfig({ testTimeout: 600_000 });

const readme = readFileSync('README.md', 'utf8');

test('the first example asks for what the corpus has, and its answer stands beside', async () => {
  const world = await loadWorld(fetchFromDisk('public/world'));
  const question = /lab -- ask "([^"]+)"/.exec(readme)?.[1] ?? '';
  const known = world.questions.find(({ text }) => text === question);
  expect(known?.supporting.length).toBeGreaterThan(0);
  expect(readme).toContain(`ask "${question}"    # ${known?.answers[0]}`);
});
