import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  siblingTree,
  stepsOf,
  valuesOf,
  type TreeNode,
  type TreeStep,
} from '../../../../src/evaluate/rollouts/siblings/tree.ts';
import {
  bandPath,
  leadPath,
  neighbourOf,
  treeLayout,
  type PlacedNode,
  type TreeLayout,
} from '../../../../src/ui/kit/siblings/tree-layout.ts';
import { ownLines, rolloutsOf } from '../../../formats/rollouts/helpers.ts';

/** A sibling a word, a step a letter: those that begin alike share a branch. */
const stepsIn = (word: string): TreeStep[] =>
  Array.from(word, (key, at) => ({ of: 'event', at, key }));
const treeOf = (...words: string[]): TreeNode[] =>
  siblingTree(
    words.map(stepsIn),
    words.map((_, i) => (i % 3) - 1),
  );

const siblings = fc
  .record({
    words: fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 }), {
      minLength: 1,
      maxLength: 32,
    }),
    stem: fc.nat(60),
    width: fc.integer({ min: 300, max: 1400 }),
  })
  .map(({ words, stem, width }) => ({
    words: words.map((word) => 'a'.repeat(stem) + word),
    width,
  }));

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}
const boxOf = ({ x, y, width, height }: PlacedNode): Box => ({
  left: x - width / 2,
  right: x + width / 2,
  top: y - height / 2,
  bottom: y + height / 2,
});
const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right - 1e-9 &&
  b.left < a.right - 1e-9 &&
  a.top < b.bottom - 1e-9 &&
  b.top < a.bottom - 1e-9;

/** Numbers of a path, in order. */
const numbersIn = (path: string): number[] => [...path.matchAll(/-?[\d.]+/g)].map(Number);

/** What is wrong with a drawing, as text. */
const faultsOf = ({ nodes, leaves, names, height }: TreeLayout, width: number): string[] => {
  const boxes = nodes.map(boxOf);
  const outside = boxes.flatMap(({ left, right, top, bottom }, i) =>
    left >= 0 && right <= names && top >= 0 && bottom <= height ? [] : [`node ${i} is outside`],
  );
  const covered = boxes.flatMap((box, i) =>
    boxes.slice(i + 1).some((other) => overlap(box, other)) ? [`node ${i} is covered`] : [],
  );
  // A count above its node, "×12" in characters of at most 6.5 px.
  const counts = nodes.flatMap((placed, i) => {
    if (!placed.counted) return [];
    const half = (6.5 * `×${placed.node.members.length}`.length) / 2;
    const bottom = placed.y - placed.height / 2 - 1;
    const text = { left: placed.x - half, right: placed.x + half, top: bottom - 10, bottom };
    return boxes.some((box) => overlap(text, box)) ? [`the count of node ${i} covers a node`] : [];
  });
  const backwards = nodes.flatMap(({ x, parent }, i) =>
    parent === null || (nodes[parent]?.x ?? Infinity) < x
      ? []
      : [`node ${i} stands before its parent`],
  );
  const lines = leaves.flatMap((leaf, i) => {
    const begins = leaf.from.x + 2 + leaf.bend;
    const line = { left: begins, right: names, top: leaf.y - 0.5, bottom: leaf.y + 0.5 };
    return [
      ...(leaf.y - (leaves[i - 1]?.y ?? -Infinity) >= 30 ? [] : [`answer ${i} covers another`]),
      ...(begins < names ? [] : [`the line of answer ${i} runs into its name`]),
      ...(boxes.some((box) => overlap(line, box))
        ? [`the line of answer ${i} crosses a node`]
        : []),
    ];
  });
  return [
    ...outside,
    ...covered,
    ...counts,
    ...backwards,
    ...lines,
    ...(names < width ? [] : ['no names']),
  ];
};

describe('the tree of siblings', () => {
  it('of real rollouts stays within its picture, one answer per rollout', async () => {
    const rollouts = await rolloutsOf(new Blob([ownLines().slice(0, 6).join('\n')]));
    for (const shown of [rollouts, rollouts.slice(0, 2), rollouts.slice(4, 6)]) {
      const { values } = valuesOf(
        shown.map(({ advantage, reward, metrics }) => ({
          advantage,
          reward,
          em: metrics?.em ?? null,
        })),
      );
      const roots = siblingTree(shown.map(stepsOf), values);
      for (const width of [390, 720, 1200]) {
        const layout = treeLayout(roots, width, shown.length);
        expect(faultsOf(layout, width)).toEqual([]);
        expect(layout.leaves.map(({ member }) => member).toSorted((a, b) => a - b)).toEqual(
          shown.map((_, i) => i),
        );
      }
    }
  });

  it('has no two nodes on one another and none outside, whatever siblings did', () => {
    fc.assert(
      fc.property(siblings, ({ words, width }) => {
        const layout = treeLayout(treeOf(...words), width, words.length);
        expect(layout.width).toBeGreaterThanOrEqual(width);
        expect(faultsOf(layout, layout.width)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('has an answer for every sibling that did something, beside its last step', () => {
    fc.assert(
      fc.property(siblings, ({ words, width }) => {
        const { leaves, nodes } = treeLayout(treeOf(...words), width, words.length);
        const begun = words.flatMap((word, i) => (word === '' ? [] : [i]));
        expect(leaves.map(({ member }) => member).toSorted((a, b) => a - b)).toEqual(begun);
        for (const { member, from } of leaves) {
          const last = nodes.find(
            ({ node }) =>
              node.members.includes(member) && node.depth === (words[member] ?? '').length - 1,
          );
          expect(last).toMatchObject({ y: from.y });
          expect(from.x).toBeGreaterThan(last?.x ?? Infinity);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('writes a count once, where the shared branch begins', () => {
    const { nodes } = treeLayout(treeOf('abcx', 'abcy', 'abd', 'q'), 900, 4);
    expect(
      nodes.flatMap(({ node, counted }) => (counted ? [[node.step.key, node.members.length]] : [])),
    ).toEqual([
      ['a', 3],
      ['c', 2],
    ]);
  });

  it('draws a band as wide as there are siblings on it, none thicker than a row', () => {
    const bands = (count: number) =>
      treeLayout(treeOf(...Array.from({ length: count }, () => 'ab'), 'ac'), 900, count + 1)
        .nodes.filter(({ node }) => node.step.key !== 'c')
        .map(({ band }) => band);
    const [whole = 0, most = 0] = bands(3);
    expect(whole / most).toBeCloseTo(4 / 3);
    expect(Math.max(...bands(31))).toBeLessThanOrEqual(26);
    expect(treeLayout(treeOf('a'), 900, 64).nodes[0]?.band).toBeGreaterThan(1);
  });

  it('is wider than the page where its steps have no room there, and as wide as the page otherwise', () => {
    const long = 'abcdefghij'.repeat(12);
    const wide = treeLayout(treeOf(long, `${long}x`), 390, 2);
    expect(wide.width).toBeGreaterThan(121 * 8);
    const ends = wide.nodes.map(({ x, width }) => x + width / 2);
    expect(Math.max(...ends)).toBeLessThan(wide.names);
    expect(treeLayout(treeOf('ab', 'ac'), 390, 2).width).toBe(390);
  });

  it('leaves the signs out where a node has no room for one', () => {
    const long = 'abcdefghij'.repeat(4);
    expect(treeLayout(treeOf(long, 'b'), 1200, 2).signs).toBe(true);
    expect(treeLayout(treeOf(long, 'b'), 390, 2).signs).toBe(false);
  });

  it('without rollouts is an empty picture, not a broken one', () => {
    const { nodes, leaves, height } = treeLayout([], 600, 0);
    expect([nodes, leaves]).toEqual([[], []]);
    expect(height).toBeGreaterThan(0);
  });
});

describe('its lines', () => {
  it('lead from the right edge of a node to the left edge of the next', () => {
    const { nodes } = treeLayout(treeOf('ab', 'ac', 'd'), 800, 3);
    for (const to of nodes) {
      const from = to.parent === null ? undefined : nodes[to.parent];
      if (!from) continue;
      const path = bandPath(from, to);
      const numbers = numbersIn(path);
      expect(numbers.slice(0, 2)).toEqual([from.x + from.width / 2, from.y]);
      expect(path.includes('C') ? numbers.slice(-2) : [numbers.at(-1), from.y]).toEqual([
        to.x - to.width / 2,
        to.y,
      ]);
    }
  });

  it('are straight along one line, and without a bend for an answer on it', () => {
    const { nodes, leaves, names } = treeLayout(treeOf('ab'), 800, 1);
    const [first, second] = nodes;
    const [leaf] = leaves;
    if (!first || !second || !leaf) throw new Error('two nodes and an answer were laid out');
    expect(bandPath(first, second)).not.toContain('C');
    expect(leadPath(leaf, names)).not.toContain('C');
  });

  it('bend to an answer on another line', () => {
    // The first sibling ends where the second continues.
    const { leaves, names } = treeLayout(treeOf('a', 'ab'), 800, 2);
    const [ended] = leaves;
    if (!ended) throw new Error('two answers were laid out');
    expect(ended.y).not.toBe(ended.from.y);
    expect(leadPath(ended, names)).toMatch(new RegExp(`C.* ${ended.y}H${names}$`));
  });
});

describe('arrow keys in the tree', () => {
  const ARROWS: readonly [key: string, goes: (from: PlacedNode, to: PlacedNode) => boolean][] = [
    ['ArrowLeft', (from, to) => to.x < from.x],
    ['ArrowRight', (from, to) => to.x > from.x],
    ['ArrowUp', (from, to) => to.y < from.y],
    ['ArrowDown', (from, to) => to.y > from.y],
  ];

  it('move along the branch and between the lines', () => {
    const { nodes } = treeLayout(treeOf('abx', 'aby', 'ac'), 900, 3);
    const at = (key: string) => nodes.findIndex(({ node }) => node.step.key === key);
    const from = (key: string, arrow: string) => {
      const to = neighbourOf(nodes, at(key), arrow);
      return to === null ? null : nodes[to]?.node.step.key;
    };
    expect(from('a', 'ArrowLeft')).toBeNull();
    expect(nodes[at('b')]?.parent).toBe(at('a'));
    expect(from('b', 'ArrowLeft')).toBe('a');
    expect(['b', 'c']).toContain(from('a', 'ArrowRight'));
    expect(from('x', 'ArrowRight')).toBeNull();
    const [upper, lower] = (nodes[at('x')]?.y ?? 0) < (nodes[at('y')]?.y ?? 0) ? 'xy' : 'yx';
    expect(from(upper ?? '', 'ArrowDown')).toBe(lower);
    expect(from(lower ?? '', 'ArrowUp')).toBe(upper);
    expect(from('y', 'Home')).toBe('a');
    expect(from('y', 'Enter')).toBeNull();
    expect(neighbourOf(nodes, 99, 'ArrowLeft')).toBeNull();
  });

  it('go where they point, and reach every node from the first', () => {
    fc.assert(
      fc.property(siblings, ({ words, width }) => {
        const { nodes } = treeLayout(treeOf(...words), width, words.length);
        const seen = new Set(nodes.length === 0 ? [] : [0]);
        const astray: string[] = [];
        for (const at of seen) {
          const here = nodes[at];
          for (const [key, goes] of ARROWS) {
            const next = neighbourOf(nodes, at, key);
            const there = next === null ? undefined : nodes[next];
            if (next === null || !here || !there) continue;
            seen.add(next);
            if (!goes(here, there)) astray.push(`${key} from ${at} to ${next}`);
          }
        }
        expect(astray).toEqual([]);
        expect(seen.size).toBe(nodes.length);
      }),
      {
        numRuns: 40,
        // By the nearest line first, keys passed over 'ab' here.
        examples: [[{ words: ['acca', 'ab', 'accb', 'aca', 'accca', 'ab'], width: 303 }]],
      },
    );
  });
});
