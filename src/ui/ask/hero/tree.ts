import { isRight } from './story.ts';
import type { RecordedRollout } from './recording.ts';

/** Rollouts of one question as a tree: those with the same queries so far share a branch. Pure; CSS pixels. */

const LANE = 27;
const TOP = 6;
const ROOT_X = 9;
/** Where the first searches are. */
const FIRST_X = 84;
/** Widest column. */
const WIDEST = 240;
/** Room of an answer, on a phone too. */
const ANSWER = 170;
const NARROW_ANSWER = 112;

export interface SearchNode {
  round: number;
  source: 'local' | 'web';
  query: string;
  /** A passage that states a part of the answer came. */
  found: boolean;
  /** Rollouts that share it. */
  members: number[];
  x: number;
  y: number;
  /** Index of the search before it; null: the question. */
  parent: number | null;
}

export interface AnswerLeaf {
  /** Which rollout. */
  member: number;
  text: string;
  right: boolean;
  y: number;
  /** Searches before it. */
  searches: number;
  parent: number | null;
}

export interface HeroTree {
  nodes: SearchNode[];
  leaves: AnswerLeaf[];
  root: { x: number; y: number };
  /** Where the answers are, and their room. */
  answerX: number;
  answerWidth: number;
  /** Between two rounds. */
  column: number;
  height: number;
}

interface Branch {
  source: 'local' | 'web';
  query: string;
  found: boolean;
  members: number[];
  next: Map<string, Branch>;
}

/** The searches of a rollout. */
const roundsOf = (rollout: RecordedRollout) =>
  rollout.flatMap((step, i) => {
    if (step.kind !== 'search') return [];
    const read = rollout[i + 1];
    return [{ ...step, found: read?.kind === 'read' && read.supporting > 0 }];
  });

function grow(rollouts: readonly RecordedRollout[]): Map<string, Branch> {
  const root = new Map<string, Branch>();
  for (const [member, rollout] of rollouts.entries()) {
    let at = root;
    for (const { source, query, found } of roundsOf(rollout)) {
      const key = `${source} ${query.toLowerCase()}`;
      const branch: Branch = at.get(key) ?? {
        source,
        query,
        found: false,
        members: [],
        next: new Map(),
      };
      branch.members.push(member);
      branch.found ||= found;
      at.set(key, branch);
      at = branch.next;
    }
  }
  return root;
}

/** Shared branches first, so that the tree is calm. */
const sorted = (branches: Map<string, Branch>): Branch[] =>
  [...branches.values()].toSorted((a, b) => b.members.length - a.members.length);

/** @param width of the drawing */
export function heroTree(rollouts: readonly RecordedRollout[], width: number): HeroTree {
  const answerWidth = width < 560 ? NARROW_ANSWER : ANSWER;
  const deepest = Math.max(1, ...rollouts.map((rollout) => roundsOf(rollout).length));
  const answerX = width - answerWidth;
  const column = Math.min(WIDEST, (answerX - FIRST_X) / deepest);
  const nodes: SearchNode[] = [];
  const leaves: AnswerLeaf[] = [];
  const line = (): number => TOP + (leaves.length + 0.5) * LANE;
  const leaf = (member: number, parent: number | null, searches: number): number => {
    const rollout = rollouts[member] ?? [];
    const last = rollout.at(-1);
    const text = last?.kind === 'answer' ? last.text : '';
    const y = line();
    leaves.push({ member, text, right: isRight(rollout), y, searches, parent });
    return y;
  };
  const place = (
    branches: Map<string, Branch>,
    members: readonly number[],
    round: number,
    parent: number | null,
  ): number => {
    const ys: number[] = [];
    const further = sorted(branches);
    for (const { next, ...branch } of further) {
      const at = nodes.length;
      nodes.push({ ...branch, round, x: FIRST_X + round * column, y: 0, parent });
      const y = place(next, branch.members, round + 1, at);
      nodes[at]!.y = y;
      ys.push(y);
    }
    const going = new Set(further.flatMap((branch) => branch.members));
    for (const member of members) if (!going.has(member)) ys.push(leaf(member, parent, round));
    return ((ys[0] ?? 0) + (ys.at(-1) ?? 0)) / 2;
  };
  const all = rollouts.map((_, i) => i);
  const y = place(grow(rollouts), all, 0, null);
  return {
    nodes,
    leaves,
    root: { x: ROOT_X, y },
    answerX,
    answerWidth,
    column,
    height: 2 * TOP + rollouts.length * LANE,
  };
}
