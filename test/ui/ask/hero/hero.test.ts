import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EXAMPLES } from '../../../../src/ui/ask/store/examples.ts';
import { recordingSchema, type Recording } from '../../../../src/ui/ask/hero/recording.ts';
import { countRight, hasGrown, storyOf } from '../../../../src/ui/ask/hero/story.ts';
import { heroTree } from '../../../../src/ui/ask/hero/tree.ts';

const FILE = new URL('../../../../src/ui/ask/hero/recording.json', import.meta.url);
const text = readFileSync(FILE, 'utf8');
const recording: Recording = recordingSchema.parse(JSON.parse(text));
const { before, after, run } = recording;

describe('the recording', () => {
  it('is small, and of the question that the first click asks', () => {
    expect(text.length).toBeLessThan(40_000);
    expect(recording.question.text).toBe(EXAMPLES[0]);
  });

  it('is of a run that learned: more rollouts and held-out questions are right after it', () => {
    expect(run.points.map(({ step }) => step)).toEqual(run.points.map((_, i) => i));
    const seconds = run.points.map((point) => point.seconds);
    expect(seconds.toSorted((a, b) => a - b)).toEqual(seconds);
    const [first, last] = [run.points[0], run.points.at(-1)];
    expect(last!.em - first!.em).toBeGreaterThan(0.3);
    expect(countRight(after)).toBeGreaterThan(countRight(before));
  });

  it('says with every search which source was asked, and what came of it', () => {
    for (const rollout of [...before, ...after])
      for (const [i, step] of rollout.entries())
        if (step.kind === 'search')
          expect(rollout[i + 1]).toMatchObject({ kind: 'read', source: step.source });
    const sources = after.flat().flatMap((step) => (step.kind === 'search' ? [step.source] : []));
    expect(new Set(sources)).toEqual(new Set(['local', 'web']));
  });
});

describe('the story', () => {
  const beats = storyOf(recording);

  it('goes from before over the training to after, and ends within a minute', () => {
    const phases = beats.map(({ phase }) => phase);
    const order = ['before', 'train', 'after'] as const;
    expect(phases).toEqual(phases.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
    expect(new Set(phases).size).toBe(3);
    const ms = beats.slice(0, -1).reduce((sum, beat) => sum + beat.ms, 0);
    expect(ms).toBeLessThan(60_000);
  });

  it('has one caption per step of the rollout it tells, in its order', () => {
    const told = beats.filter(({ phase, sign }) => phase === 'after' && sign !== null);
    const kinds = told.map(({ caption }) =>
      caption.replace(/^It (thinks|searches|reads|answers).*/s, '$1'),
    );
    expect(kinds.at(-1)).toBe('answers');
    expect(kinds.join(' ')).toMatch(/^((thinks )?searches reads )+(thinks )?answers$/);
    expect(told.at(-1)?.caption).toMatch(/, right\.$/);
    // The curve is whole before the second tree begins, and never shrinks.
    const points = beats.map((beat) => beat.points);
    expect(points).toEqual(points.toSorted((a, b) => a - b));
    expect(told[0]?.points).toBe(run.points.length);
  });

  it('gives longer captions more time', () => {
    for (const { caption, ms, sign } of beats)
      if (sign !== 'train') expect(ms).toBeGreaterThanOrEqual(caption.length > 80 ? 2000 : 1500);
  });
});

describe('the tree', () => {
  it.each([340, 1000])('has a line per rollout and fits %i pixels', (width) => {
    for (const rollouts of [before, after]) {
      const tree = heroTree(rollouts, width);
      const members = tree.leaves.map(({ member }) => member);
      expect(members.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      const lines = tree.leaves.map(({ y }) => y);
      expect(new Set(lines).size).toBe(8);
      for (const { x, y, parent } of tree.nodes) {
        expect(x).toBeLessThan(tree.answerX);
        expect(x).toBeGreaterThan(parent === null ? tree.root.x : tree.nodes[parent]!.x);
        expect(y).toBeLessThan(tree.height);
      }
    }
  });

  it('joins rollouts with the same queries so far', () => {
    const searching = (query: string, answer: string): Recording['after'][number] => [
      { kind: 'search', source: 'local', query: 'Leon Norrath' },
      { kind: 'read', source: 'local', titles: ['Leon Norrath'], supporting: 1 },
      { kind: 'search', source: 'web', query },
      { kind: 'read', source: 'web', titles: [query], supporting: 0 },
      { kind: 'answer', text: answer, right: answer === 'a' },
    ];
    const { nodes, leaves } = heroTree([searching('x', 'a'), searching('y', 'b')], 800);
    expect(nodes.map(({ query, members }) => [query, members])).toEqual([
      ['Leon Norrath', [0, 1]],
      ['x', [0]],
      ['y', [1]],
    ]);
    expect(nodes[0]!.y).toBe((leaves[0]!.y + leaves[1]!.y) / 2);
    expect(leaves.map(({ right }) => right)).toEqual([true, false]);
  });

  it('grows part by part', () => {
    const to = { round: 1, part: 'search' } as const;
    expect(hasGrown('root', to)).toBe(false);
    expect(hasGrown({ round: 0, part: 'read' }, to)).toBe(false);
    expect(hasGrown({ round: 1, part: 'think' }, to)).toBe(false);
    expect(hasGrown({ round: 1, part: 'search' }, to)).toBe(true);
    expect(hasGrown('whole', to)).toBe(true);
  });
});
