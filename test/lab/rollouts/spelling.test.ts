import { expect, it } from 'vitest';
import { Spelling, type AvailableTokenizer } from '../../../src/lab/rollouts/spelling.ts';
import type { ImportedRollout } from '../../../src/formats/rollouts/shape/imported.ts';
import { rolloutOf } from '../../evaluate/rollouts/lint/rollout.ts';

const letters = (ids: readonly number[]): string => String.fromCharCode(...ids);

const at = (name: string, decode: (ids: readonly number[]) => string): AvailableTokenizer => ({
  id: `id of ${name}`,
  names: [name],
  open: () => Promise.resolve(decode),
});

const rollout = (part: Partial<ImportedRollout> = {}): ImportedRollout =>
  rolloutOf(
    [{ source: 'policy', role: 'answer', text: 'Oslo', ids: [79, 115, 108, 111], mask: 1 }],
    { policy: { id: 'mine', revision: 'abc' }, ...part },
  );

const spell = (list: AvailableTokenizer[], one = rollout()) =>
  new Spelling(() => Promise.resolve(list)).spell(one);

const wrong = at('mine', (ids) => ids.join());

it('asks the policy of that name, and any other that cuts the text so where it was renamed', async () => {
  const pieces = [['O', 's', 'l', 'o']];
  expect(await spell([at('other', letters), at('mine', letters)])).toEqual({
    status: 'spelled',
    by: 'mine',
    pieces,
  });
  expect(await spell([wrong, at('renamed', letters)])).toMatchObject({ by: 'renamed', pieces });
});

it('says which policy is missing, and whether another of its name is here', async () => {
  expect(await spell([])).toEqual({
    status: 'missing',
    policy: 'mine, revision abc',
    other: false,
  });
  expect(await spell([wrong])).toMatchObject({ status: 'missing', other: true });
  const broken: AvailableTokenizer = { ...wrong, open: () => Promise.reject(new Error('gone')) };
  expect(await spell([broken])).toMatchObject({ status: 'missing', other: false });
});

it('spells nothing where the file has the texts', async () => {
  const texts = rolloutOf([
    { source: 'policy', role: 'answer', text: 'Oslo', tokens: ['Os', 'lo'] },
  ]);
  expect(await spell([at('mine', letters)], texts)).toEqual({ status: 'nothing' });
});
