import { describe, expect, it } from 'vitest';
import { gridOf } from '../../../src/evaluate/systems/pictures.ts';
import {
  CELL_KINDS,
  CELL_WORDS,
  cellPaths,
  kindOf,
} from '../../../src/ui/evaluate/pictures/grid-cells.ts';
import { placeLabels } from '../../../src/ui/evaluate/pictures/place-labels.ts';
import { cut, nameWidth } from '../../../src/ui/evaluate/pictures/text-width.ts';
import { partsMatrix } from '../../../src/ui/evaluate/systems/families.ts';
import { evaluatedRollout, evaluatedSystem, evaluationResult } from '../../fixtures/evaluations.ts';

const NAMES = [
  ['ARPO', false, 32],
  ['ARPO', true, 36],
  ['β-GRPO', false, 45],
  ['KunLunBaizeRAG', false, 98],
  ['KunLunBaizeRAG', true, 111],
  ['Memory-R1, manager', true, 140],
  ['Naive generation, no retrieval', true, 196],
  ['UR², as released', false, 95],
  ['Empirical study, axes of Search-R1', false, 201],
] as const;

describe('a cell of the grid', () => {
  it('tells right from wrong, and whether the evidence was there', () => {
    expect(kindOf({ right: 1, retrieved: true })).toBe('right-found');
    expect(kindOf({ right: 1, retrieved: false })).toBe('right-unfound');
    expect(kindOf({ right: 0, retrieved: true })).toBe('wrong-found');
    expect(kindOf({ right: 0, retrieved: false })).toBe('wrong-unfound');
    expect(kindOf({ right: 0.5, retrieved: true })).toBe('mixed');
    expect(kindOf({ right: null, retrieved: null })).toBe('missing');
  });

  it('claims nothing of evidence that a question does not name', () => {
    expect(kindOf({ right: 1, retrieved: null })).toBe('right-unnamed');
    expect(kindOf({ right: 0, retrieved: null })).toBe('wrong-unnamed');
    for (const kind of ['right-unnamed', 'wrong-unnamed'] as const)
      expect(CELL_WORDS[kind]).toContain('evidence unknown');
  });

  it('lacks the evidence where its titles are named and nothing was read', () => {
    const rest = { hopsFound: [], searches: 0 };
    const rollouts = [
      evaluatedRollout('a', 'q1', 0, { ...rest, recall: 0 }),
      evaluatedRollout('a', 'q2', 0, { ...rest, recall: null }),
      evaluatedRollout('a', 'q3', 1, { ...rest, recall: 0.5 }),
      evaluatedRollout('a', 'q4', 1, { ...rest, recall: 1 }),
    ];
    const grid = gridOf(evaluationResult({ a: [0, 0, 1, 1] }, { rollouts }));
    expect(grid.flatMap(({ cells }) => cells.map(kindOf))).toEqual([
      'wrong-unfound',
      'wrong-unnamed',
      'right-unfound',
      'right-found',
    ]);
  });

  it('follows from the rollouts of all seeds', () => {
    const result = evaluationResult({ a: [1, 0], b: [0] });
    const second = evaluatedRollout('a', 'q1', 0, { seed: 2, rollout: 'a-q1-2' });
    const grid = gridOf({ ...result, rollouts: [...result.rollouts, second] });
    expect(grid.map(({ cells }) => cells.map(kindOf))).toEqual([
      ['mixed', 'wrong-unfound'],
      ['wrong-unfound', 'missing'],
    ]);
  });

  it('is distinguishable by shape, down to a few pixels', () => {
    for (const size of [5, 8, 16]) {
      const shapes = CELL_KINDS.map((kind) => cellPaths([[kind]], size, size).get(kind));
      expect(new Set(shapes).size).toBe(CELL_KINDS.length);
    }
  });

  it('is one of few paths, however many there are', () => {
    const kinds = Array.from({ length: 20 }, () =>
      Array.from({ length: 500 }, () => 'right-found' as const),
    );
    const paths = cellPaths(kinds, 5, 16);
    expect(paths.get('right-found')?.match(/M/g)).toHaveLength(10_000);
    expect(paths.get('wrong-found')).toBe('');
  });
});

describe('names beside points', () => {
  it('cover neither each other nor a point, and stay within the picture', () => {
    const points = Array.from({ length: 12 }, (_, i) => ({
      x: 60 + (i % 4) * 90,
      y: 40 + Math.floor(i / 4) * 60,
      width: 60,
    }));
    const placed = placeLabels(points, 500, 260);
    const boxes = placed.flatMap((label) => {
      if (!label) return [];
      const width = 60;
      const left =
        label.anchor === 'start' ? label.x : label.x - (label.anchor === 'end' ? width : width / 2);
      return [{ left, right: left + width, top: label.y - 9, bottom: label.y + 2 }];
    });
    expect(boxes.length).toBeGreaterThan(9);
    for (const [i, a] of boxes.entries()) {
      expect(a.left).toBeGreaterThanOrEqual(0);
      expect(a.right).toBeLessThanOrEqual(500);
      for (const b of boxes.slice(i + 1))
        expect(a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom).toBe(
          false,
        );
      for (const { x, y } of points)
        expect(x > a.left && x < a.right && y > a.top && y < a.bottom).toBe(false);
    }
  });

  it('keep off the axis at the left', () => {
    const [label] = placeLabels([{ x: 70, y: 50, width: 60 }], 300, 100, 60);
    expect(label?.anchor).not.toBe('end');
    expect(label?.x).toBeGreaterThanOrEqual(60);
  });

  it('are left out where there is no room', () => {
    const points = Array.from({ length: 30 }, () => ({ x: 50, y: 50, width: 80 }));
    expect(placeLabels(points, 100, 100).filter((label) => label !== null).length).toBeLessThan(10);
  });

  it('are given as much room as they take', () => {
    // As Chromium measured them, 11.5 px, in the widest of the system fonts that are common (DejaVu Sans).
    for (const [name, bold, measured] of NAMES)
      expect(nameWidth(name, bold)).toBeGreaterThanOrEqual(measured);
  });

  it('are cut to what fits', () => {
    expect(cut('Search-R1', 200)).toBe('Search-R1');
    expect(cut('KunLunBaizeRAG without background', 100)).toBe('KunLunBaizeR…');
  });
});

it('puts the parts that most systems have first', () => {
  const systems = [
    evaluatedSystem('a', { parts: ['turns'] }),
    evaluatedSystem('b', { parts: ['stages', 'turns'] }),
  ];
  const { parts, rows } = partsMatrix(systems);
  expect(parts).toEqual(['turns', 'stages']);
  expect(rows.map(({ has }) => has)).toEqual([
    [true, false],
    [true, true],
  ]);
});
