import { afterEach, expect, it, vi } from 'vitest';
import { FIELDS } from '../../../../src/evaluate/rollouts/filter/fields.ts';
import { rememberFilter } from '../../../../src/ui/rollouts/file/filter-history.ts';
import { offersAt } from '../../../../src/ui/rollouts/file/FilterField.tsx';

afterEach(() => vi.unstubAllGlobals());

const CLAUSES = ['format', 'answer', 'length'];
const known = (field: string): readonly string[] =>
  field === 'reward.' ? CLAUSES : Array.from({ length: 500 }, (_, at) => `${field} ${at}`);

const textsOf = (text: string): string[] =>
  offersAt(text, text.length, known).items.map((item) => item.text);

it('offers every field in an empty filter, after the last five filters', () => {
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  });
  for (let at = 0; at < 7; at++) rememberFilter(`em = ${at}`);
  const offered = textsOf('');
  expect(offered.slice(0, 5)).toEqual(['em = 6', 'em = 5', 'em = 4', 'em = 3', 'em = 2']);
  for (const { name } of FIELDS) expect(offered).toContain(name);
  for (const clause of CLAUSES) expect(offered).toContain(`reward.${clause}`);
});

it('a long list of values is cut', () => {
  const offered = textsOf('recipe = ');
  expect(offered.length).toBeGreaterThan(50);
  expect(offered.length).toBeLessThan(500);
});
