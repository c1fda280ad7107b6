import { expect, it } from 'vitest';
import { textThings, thingsOf } from '../../../src/ui/shell/things.ts';
import { duplicateOf } from '../../../src/evaluate/systems/custom.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import { useEvaluateDraft } from '../../../src/ui/evaluate/store/evaluate-draft.ts';
import { useTrainForm } from '../../../src/ui/train/store/train-draft.ts';
import { useAsk } from '../../../src/ui/ask/store/ask-store.ts';
import type { QuestionRow } from '../../../src/lab/contract/ask.ts';
import { runRecord } from '../../fixtures/train-runs.ts';

const questionRow = (id: string, text: string): QuestionRow => ({
  id,
  text,
  split: 'dev',
  hops: 1,
  type: 'bridge',
  localSuffices: true,
  supporting: [],
});

it('⌘K reaches the runs that are here, and the recipes that can be trained', async () => {
  const gone: string[] = [];
  const runs = [
    runRecord('a', { name: 'mine' }),
    runRecord('b', { name: 'deleted', deletedAt: '2026-01-01' }),
  ];
  const things = thingsOf({ runs, files: [], evaluations: [], customs: [] }, (path) =>
    gone.push(path),
  );
  expect(things.filter(({ group }) => group === 'Training run').map(({ name }) => name)).toEqual([
    'mine, kunlun-baize/dapo, running',
  ]);
  things.find(({ name }) => name.startsWith('mine'))?.act();
  expect(gone).toEqual(['/train?run=a']);
  things.find(({ name }) => name.includes('Search-R1') && name.includes('GRPO'))?.act();
  await expect.poll(() => gone.at(-1)).toBe('/train?new=1');
  expect(useTrainForm.getState().draft.training).toMatch(/^search-r1\//);
});

it('⌘K asks by a recipe, and leaves the mechanisms of the one before', () => {
  const gone: string[] = [];
  const things = thingsOf({ runs: [], files: [], evaluations: [], customs: [] }, (path) =>
    gone.push(path),
  );
  things.find(({ name }) => name === 'Ask by KunLunBaizeRAG')?.act();
  expect(gone).toEqual(['/ask']);
  expect(useAsk.getState().address.settings).toMatchObject({
    recipe: 'kunlun-baize',
    mechanisms: {},
  });
});

it('⌘K selects a system for the next evaluation, also a custom one, and keeps the others selected', async () => {
  const gone: string[] = [];
  useEvaluateDraft.getState().change({ systems: ['naive-rag'] });
  const own = duplicateOf(getRecipe('search'), 'mine', 'My loop');
  const things = thingsOf({ runs: [], files: [], evaluations: [], customs: [own] }, (path) =>
    gone.push(path),
  );
  const pressed = async (name: string) => {
    const before = gone.length;
    things.find((thing) => thing.group === 'System' && thing.name === name)?.act();
    await expect.poll(() => gone.length).toBe(before + 1);
  };
  await pressed('Evaluate KunLunBaizeRAG');
  await pressed('Evaluate My loop');
  await pressed('Evaluate KunLunBaizeRAG');
  expect(gone).toEqual(Array(3).fill('/evaluate?new=1'));
  expect(useEvaluateDraft.getState().spec.systems).toEqual(['naive-rag', own, 'kunlun-baize']);
});

it('⌘K finds questions by all of their words, and passages by the text', () => {
  const gone: string[] = [];
  const rows = [
    questionRow('q1', 'Who founded Lumlex Steel?'),
    questionRow('q2', 'Who directed Velvet Lantern?'),
  ];
  const found = textThings('who lumlex', { questions: rows, rollouts: true }, (path) =>
    gone.push(path),
  );
  expect(found.map(({ name }) => name)).toEqual([
    'Who founded Lumlex Steel?',
    'Passages for “who lumlex”',
    'Rollouts with “who lumlex”',
  ]);
  for (const { act } of found) act();
  expect(useAsk.getState().address.asked).toEqual({ kind: 'world', id: 'q1' });
  expect(gone).toEqual(['/ask', '/corpus?find=who+lumlex', '/rollouts?find=who+lumlex']);
  // Without any there is nothing to search.
  const without = textThings('who lumlex', { questions: rows, rollouts: false }, () => undefined);
  expect(without.map(({ name }) => name)).not.toContain('Rollouts with “who lumlex”');
  expect(textThings('wh', { questions: rows, rollouts: true }, () => undefined)).toEqual([]);
});
