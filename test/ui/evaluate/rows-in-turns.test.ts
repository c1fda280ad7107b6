import { describe, expect, it } from 'vitest';
import type { TableRow } from '../../../src/evaluate/systems/table/shape.ts';
import { nextRows, type RenderedRow } from '../../../src/ui/evaluate/table/rows-in-turns.ts';

const row = (system: string, rollouts: number): TableRow => ({
  system,
  questions: 1,
  rollouts,
  failed: 0,
  cells: [],
});
const standing = (systems: readonly string[]): RenderedRow[] =>
  systems.map((id) => ({ ...row(id, 1), columns: 'em' }));
const told = (rows: readonly TableRow[]): string[] =>
  rows.map(({ system, rollouts }) => `${system} ${rollouts}`);

describe('rows of a table that fills', () => {
  it('are rendered a few at a time, in order, until all are there', () => {
    const target = ['a', 'b', 'c', 'd', 'e'].map((id) => row(id, 1));
    const first = nextRows([], target, 'em', 2);
    expect([told(first.rows), first.left]).toEqual([['a 1', 'b 1'], true]);
    const second = nextRows(first.rows, target, 'em', 2);
    expect([told(second.rows), second.left]).toEqual([['a 1', 'b 1', 'c 1', 'd 1'], true]);
    const third = nextRows(second.rows, target, 'em', 2);
    expect([told(third.rows), third.left]).toEqual([told(target), false]);
  });

  it('stay the same objects where nothing of them changed, and as they were until their turn', () => {
    const shown = standing(['a', 'b', 'c']);
    const { rows, left } = nextRows(shown, [row('a', 1), row('b', 2), row('c', 2)], 'em', 1);
    expect([told(rows), left]).toEqual([['a 1', 'b 2', 'c 1'], true]);
    expect(rows[0]).toBe(shown[0]);
  });

  it('go, and change their order, at once', () => {
    const shown = standing(['a', 'b', 'c']);
    expect(told(nextRows(shown, [row('c', 1), row('a', 1)], 'em', 0).rows)).toEqual(['c 1', 'a 1']);
  });

  it('are drawn for other columns in turns as well', () => {
    const shown = standing(['a', 'b', 'c']);
    const target = ['a', 'b', 'c'].map((id) => row(id, 1));
    const first = nextRows(shown, target, 'em f1', 2);
    expect([first.rows.map(({ columns }) => columns), first.left]).toEqual([
      ['em f1', 'em f1', 'em'],
      true,
    ]);
    const second = nextRows(first.rows, target, 'em f1', 2);
    expect([second.rows.map(({ columns }) => columns), second.left]).toEqual([
      ['em f1', 'em f1', 'em f1'],
      false,
    ]);
  });
});
