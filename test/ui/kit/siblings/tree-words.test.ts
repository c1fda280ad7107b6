import { describe, expect, it } from 'vitest';
import {
  siblingTree,
  stepsOf,
  type TreeNode,
} from '../../../../src/evaluate/rollouts/siblings/tree.ts';
import type { ImportedRole } from '../../../../src/formats/rollouts/shape/imported.ts';
import type { AgentEvent } from '../../../../src/records/events.ts';
import {
  BASIS_WORDS,
  nodeLabel,
  stepWords,
  valueWords,
} from '../../../../src/ui/kit/siblings/tree-words.ts';
import { eventsOfEveryKind } from '../../../fixtures/events.ts';
import { ownLines, rolloutsOf } from '../../../formats/rollouts/helpers.ts';

const EVENTS: AgentEvent[] = Object.entries(eventsOfEveryKind('Borfield')).map(
  ([, event]) => event as AgentEvent,
);

const node = (rest: Partial<TreeNode> = {}): TreeNode => ({
  step: { of: 'event', at: 4, key: 'k' },
  depth: 0,
  members: [0, 2, 3],
  value: 0.5,
  children: [],
  ends: [],
  ...rest,
});
const words = { sign: 'search' as const, name: 'Search', line: 'who founded Borfield' };

describe('the words of a step', () => {
  it('name every kind of event and say what happened in it', () => {
    for (const [at, { kind }] of EVENTS.entries()) {
      const told = stepWords({ events: EVENTS, segments: [] }, { of: 'event', at, key: '' });
      expect([kind, (told.sign as string) === '', told.name === '', told.line === '']).toEqual([
        kind,
        false,
        false,
        false,
      ]);
    }
  });

  it('tell by sign and name where a search went', () => {
    const retrieve = eventsOfEveryKind('x').retrieve as Extract<AgentEvent, { kind: 'retrieve' }>;
    const told = (['local', 'web', 'both'] as const).map((source) =>
      stepWords(
        { events: [{ ...retrieve, source }], segments: [] },
        { of: 'event', at: 0, key: '' },
      ),
    );
    expect(told.map(({ name }) => name)).toEqual(['Result, local', 'Result, web', 'Result, both']);
    expect(new Set(told.map(({ sign }) => sign)).size).toBe(3);
  });

  it('of a file without events are its parts, with another sign for each role', () => {
    const roles: ImportedRole[] = ['think', 'search', 'result', 'answer', 'hint', 'evidence'];
    const told = roles.map((role, at) =>
      stepWords(
        { segments: roles.map((own) => ({ source: 'policy', role: own, text: ` ${own}\n` })) },
        { of: 'segment', at, key: role },
      ),
    );
    expect(told.map(({ name }) => name)).toEqual([
      'Thought',
      'Search',
      'Result',
      'Answer',
      'Hint',
      'evidence',
    ]);
    expect(told.map(({ line }) => line)).toEqual(roles);
    expect(new Set(told.map(({ sign }) => sign)).size).toBe(roles.length);
  });

  it('of a step that is not there are text without a line, not a fault', () => {
    const nothing = stepWords({ events: [], segments: [] }, { of: 'event', at: 3, key: '' });
    expect(nothing).toEqual({ sign: 'text', name: 'text', line: '' });
  });
});

describe('the label of a node', () => {
  it('counts those that share it, and says one as one', () => {
    expect(nodeLabel(node(), words, 8, null)).toBe(
      'Event 5, Search: who founded Borfield. 3 of 8 rollouts',
    );
    expect(nodeLabel(node({ members: [1] }), words, 8, null)).toMatch(/\. only one rollout$/);
  });

  it('says what its value is of, with the sign', () => {
    expect(nodeLabel(node(), words, 8, 'advantage')).toMatch(/, mean advantage \+0\.50$/);
    expect(nodeLabel(node({ value: -0.25 }), words, 8, 'em')).toMatch(
      /, mean EM minus the group mean −0\.25$/,
    );
    expect(nodeLabel(node({ value: null }), words, 8, 'reward')).not.toContain(BASIS_WORDS.reward);
  });

  it('puts a long text on one line and cuts it', () => {
    const label = nodeLabel(node(), { ...words, line: 'word \n'.repeat(200) }, 8, null);
    expect(label).not.toContain('\n');
    expect(label.length).toBeLessThan(230);
    expect(label).toContain(' ….');
    expect(nodeLabel(node(), { ...words, line: '' }, 8, null)).toBe(
      'Event 5, Search. 3 of 8 rollouts',
    );
  });

  it('calls a part of a file without events a part', () => {
    const part = node({ step: { of: 'segment', at: 0, key: '' } });
    expect(nodeLabel(part, words, 3, null)).toMatch(/^Part 1, Search/);
  });

  it('names the event of the first real rollout that a branch is compared with', async () => {
    const rollouts = await rolloutsOf(new Blob([ownLines().slice(0, 2).join('\n')]));
    const [root] = siblingTree(rollouts.map(stepsOf), [1, -1]);
    const rollout = rollouts[root?.members[0] ?? -1];
    if (!root || !rollout) throw new Error('the file has rollouts');
    // Two rollouts of one question begin with the same background.
    expect(nodeLabel(root, stepWords(rollout, root.step), 2, 'reward')).toMatch(
      /^Event \d+, Background.*\. 2 of 2 rollouts, mean reward minus the group mean \+0\.00$/,
    );
  });
});

it('a sibling that is in no mean says so', () => {
  expect([valueWords(null), valueWords(0), valueWords(-0.5)]).toEqual([
    'not in the mean',
    '+0.00',
    '−0.50',
  ]);
});
