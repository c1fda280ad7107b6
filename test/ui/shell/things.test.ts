import { expect, it } from 'vitest';
import { thingsOf } from '../../../src/ui/shell/things.ts';
import { useDraft } from '../../../src/ui/train/store/train-draft.ts';
import { runRecord } from '../../fixtures/train-runs.ts';

it('⌘K reaches the runs that are here, and the recipes that can be trained', async () => {
  const gone: string[] = [];
  const things = thingsOf(
    [
      runRecord('a', { name: 'mine' }),
      runRecord('b', { name: 'deleted', deletedAt: '2026-01-01' }),
    ],
    (path) => gone.push(path),
  );
  expect(things.filter(({ group }) => group === 'Training run').map(({ name }) => name)).toEqual([
    'mine, kunlun-baize/dapo, running',
  ]);
  things.find(({ name }) => name.startsWith('mine'))?.act();
  expect(gone).toEqual(['/train?run=a']);
  things.find(({ name }) => name.includes('Search-R1') && name.includes('GRPO'))?.act();
  await expect.poll(() => gone.at(-1)).toBe('/train?new=1');
  expect(useDraft.getState().training).toMatch(/^search-r1\//);
});
