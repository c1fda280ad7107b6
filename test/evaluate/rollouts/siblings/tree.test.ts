import { describe, expect, it } from 'vitest';
import {
  siblingTree,
  stepsOf,
  valuesOf,
  type TreeNode,
} from '../../../../src/evaluate/rollouts/siblings/tree.ts';
import type { AgentEvent } from '../../../../src/records/events.ts';
import type { Rollout } from '../../../../src/records/rollout.ts';
import {
  emptyRollout,
  hit,
  passage,
  policySegment,
  retrieve,
  search,
} from '../../../fixtures/rollouts.ts';

const think = (text: string, segment?: number): AgentEvent => ({
  t: 0,
  kind: 'think',
  text,
  phase: 'step',
  segment,
});
const answer = (text: string): AgentEvent => ({
  t: 9,
  kind: 'answer',
  text,
  form: 'short',
  by: 'policy',
});
const stop: AgentEvent = { t: 10, kind: 'stop', reason: 'answer', detail: '' };
const route = (choice: 'local' | 'web'): AgentEvent => ({
  t: 1,
  kind: 'route',
  by: 'fixed',
  choice,
  probabilities: { local: 1, web: 0 },
  features: [],
  reward: null,
});
const kept: AgentEvent = {
  t: 2,
  kind: 'verdict',
  over: 'query',
  round: 1,
  mode: 'paper',
  text: 'who',
  checks: [],
  aggDiff: null,
  valid: true,
  action: 'kept',
  reason: '',
  counts: {},
  blocked: [],
};
const found = (id: string, latencyMs: number): AgentEvent => ({
  ...retrieve([hit(passage(id, id))]),
  latencyMs,
});

const rollout = (events: AgentEvent[], part: Partial<Rollout> = {}): Rollout => ({
  ...emptyRollout('r'),
  events,
  ...part,
});

/** A tree as text: indices of events, who shares them, and the branches in order. */
const drawn = (nodes: readonly TreeNode[]): unknown =>
  nodes.map(({ step, members, children }) => [step.at, members.join(''), drawn(children)]);

const treeOf = (rollouts: Rollout[], values = rollouts.map(() => null as number | null)) =>
  siblingTree(rollouts.map(stepsOf), values);

describe('siblings as a tree', () => {
  it('share a branch until one does something else, whatever a clock said', () => {
    const tree = treeOf([
      rollout([think('a'), search(1), found('p', 5), answer('x'), stop]),
      rollout([think('a'), search(1), found('p', 900), answer('y'), stop]),
      rollout([think('b'), search(1), found('p', 5), answer('x'), stop]),
    ]);
    expect(drawn(tree)).toEqual([
      [
        0,
        '01',
        [
          [
            1,
            '01',
            [
              [
                2,
                '01',
                [
                  [3, '0', []],
                  [3, '1', []],
                ],
              ],
            ],
          ],
        ],
      ],
      // What is alike after a difference was reached in another context.
      [0, '2', [[1, '2', [[2, '2', [[3, '2', []]]]]]]],
    ]);
    expect(tree[0]?.children[0]?.children[0]?.children.map(({ ends }) => ends)).toEqual([[0], [1]]);
  });

  it('tell the same letters cut into other tokens apart', () => {
    const one = policySegment([1, 2]);
    const other = { ...policySegment([7]), text: one.text };
    const tree = treeOf([
      rollout([think('a', 0)], { segments: [one] }),
      rollout([think('a', 0)], { segments: [other] }),
    ]);
    expect(tree.map(({ members }) => members)).toEqual([[0], [1]]);
  });

  it('are not set apart by probes beside the context', () => {
    const probed = (text: string): AgentEvent => ({
      t: 3,
      kind: 'candidate',
      round: 1,
      candidates: [{ text, canonical: text, confidence: -1, count: 1, blocked: false }],
    });
    const events = (text: string) => [search(1), found('p', 1), probed(text), kept, answer('x')];
    expect(drawn(treeOf([rollout(events('a')), rollout(events('b'))]))).toEqual([
      [0, '01', [[1, '01', [[4, '01', []]]]]],
    ]);
  });

  it('count a route to the result after it: another source separates them at its result', () => {
    const events = (choice: 'local' | 'web') => [
      search(1),
      kept,
      route(choice),
      found('p', 1),
      answer('x'),
      stop,
    ];
    expect(drawn(treeOf([rollout(events('local')), rollout(events('web'))]))).toEqual([
      [
        0,
        '01',
        [
          [3, '0', [[4, '0', []]]],
          [3, '1', [[4, '1', []]]],
        ],
      ],
    ]);
  });

  it('have the mean of their values, the best branch first', () => {
    const tree = treeOf(
      [rollout([think('low')]), rollout([think('high')]), rollout([think('high')])],
      [-1, 0.5, 1],
    );
    expect(tree.map(({ value, members }) => [members, value])).toEqual([
      [[1, 2], 0.75],
      [[0], -1],
    ]);
  });

  it('of a file without events are its segments after the prompt', () => {
    const { events: _, ...bare } = rollout([]);
    const segments = [
      policySegment([9], 'other'),
      policySegment([1]),
      policySegment([2], 'answer'),
    ];
    const origin = { layout: 'verl', protocol: null, responseAt: 1, fields: {}, columns: {} };
    expect(stepsOf({ ...bare, segments, origin }).map(({ of, at }) => [of, at])).toEqual([
      ['segment', 1],
      ['segment', 2],
    ]);
  });
});

describe('the values of siblings', () => {
  const sibling = (em: number, reward: number | null = null, advantage: number | null = null) => ({
    em,
    reward,
    advantage,
  });

  it('are advantages where training stored them', () => {
    expect(valuesOf([sibling(1, 1, 0.7), sibling(0, 0, -0.7)])).toEqual({
      basis: 'advantage',
      values: [0.7, -0.7],
    });
  });

  it('are EM less the mean without rewards, and a fork is in no mean', () => {
    // The mean of 1, 0, 0, 1 is one half; the fork, right too, is as far above it.
    const all = [sibling(1), sibling(0), sibling(0), sibling(1), sibling(1)];
    expect(valuesOf(all, (at) => at === 4)).toEqual({
      basis: 'em',
      values: [0.5, -0.5, -0.5, 0.5, 0.5],
    });
  });

  it('are none where nothing differs', () => {
    expect(valuesOf([sibling(0, 1), sibling(0, 1)])).toEqual({ basis: null, values: [null, null] });
  });
});
