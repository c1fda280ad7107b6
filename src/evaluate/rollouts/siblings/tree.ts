import { meanOrNull } from '../../../base/statistics.ts';
import { present } from '../../../base/items.ts';
import type { ImportedRollout, ImportedSegment } from '../../../formats/rollouts/shape/imported.ts';
import type { AgentEvent } from '../../../records/events.ts';

/**
 * The rollouts of one question as a tree: siblings share a branch as long as the same happened in them, token
 * for token where tokens are known, and part where one did something else.
 */

/** A step of a rollout: one of its events; of a file without events, one of its segments. */
export interface TreeStep {
  of: 'event' | 'segment';
  /** Index among those of its rollout. */
  at: number;
  /** Two steps are the same where this is. */
  key: string;
}

export interface TreeNode {
  /** As it is in the first of `members`. */
  step: TreeStep;
  /** Steps from the root, which has 0. */
  depth: number;
  /** Siblings that share it, by their place. */
  members: number[];
  /** Mean of the members' values; null where none has one. */
  value: number | null;
  children: TreeNode[];
  /** Siblings that end here. */
  ends: number[];
}

/** Policy text by its tokens: the same letters may be cut otherwise. */
const tokensOf = (segment: ImportedSegment | undefined): string =>
  segment?.source === 'policy' ? (segment.ids?.join(' ') ?? segment.text) : '';

/** What happened in an event, without what a clock said. */
function contentOf(event: AgentEvent): unknown {
  switch (event.kind) {
    case 'background':
      return [event.mode, event.query, event.hits.map(({ passage }) => passage.id)];
    case 'think':
      return [event.phase, event.text];
    case 'block':
      return [event.block, event.text, event.reply];
    case 'aside':
      return [event.of, event.prompt, event.text];
    case 'search':
      return [event.tag, event.query];
    case 'route':
      return [event.of, event.choice];
    case 'retrieve':
      return [event.query, event.source, event.hits.map(({ passage }) => passage.id)];
    case 'summarize':
      return [event.query, event.text];
    case 'candidate':
      return null;
    case 'verdict':
      return [event.over, event.text, event.action, event.replacement];
    case 'answer':
      return [event.by, event.text];
    case 'stop':
      return event.reason;
    case 'error':
      return [event.what, event.message];
  }
}

/**
 * What an event is for the tree. A route is part of the result after it; a probe and what STIE kept leave the
 * context as it was, so that they set nobody apart; an end follows from the answer.
 */
function partOf(event: AgentEvent, before: AgentEvent | undefined): 'step' | 'folded' | 'nothing' {
  switch (event.kind) {
    case 'route':
      return 'folded';
    case 'candidate':
      return 'nothing';
    case 'verdict':
      return event.action === 'kept' ? 'nothing' : 'step';
    case 'stop':
      return before?.kind === 'answer' ? 'nothing' : 'step';
    default:
      return 'step';
  }
}

/**
 * The steps of a rollout: its events, each with the route before it; or what policy and environment wrote
 * after the prompt.
 */
export function stepsOf({
  events,
  segments,
  origin,
}: Pick<ImportedRollout, 'events' | 'segments' | 'origin'>): TreeStep[] {
  if (events) {
    const steps: TreeStep[] = [];
    let folded: unknown[] = [];
    events.forEach((event, at) => {
      const part = partOf(event, events[at - 1]);
      if (part === 'nothing') return;
      folded.push([
        event.kind,
        contentOf(event),
        event.segment === undefined ? '' : tokensOf(segments[event.segment]),
      ]);
      if (part === 'folded') return;
      steps.push({ of: 'event', at, key: JSON.stringify(folded) });
      folded = [];
    });
    return steps;
  }
  const from = origin?.responseAt ?? 0;
  return segments.slice(from).map((segment, i) => ({
    of: 'segment',
    at: from + i,
    key: JSON.stringify([segment.source, segment.role, tokensOf(segment) || segment.text]),
  }));
}

/** Larger values first, then the branch of the sibling that comes first. */
const byValue = (a: TreeNode, b: TreeNode): number =>
  (b.value ?? -Infinity) - (a.value ?? -Infinity) || (a.members[0] ?? 0) - (b.members[0] ?? 0) || 0;

function grow(
  siblings: readonly (readonly TreeStep[])[],
  values: readonly (number | null)[],
  members: readonly number[],
  depth: number,
): TreeNode[] {
  const branches = new Map<string, number[]>();
  for (const member of members) {
    const step = siblings[member]?.[depth];
    if (!step) continue;
    const branch = branches.get(step.key);
    if (branch) branch.push(member);
    else branches.set(step.key, [member]);
  }
  return [...branches.values()]
    .map((own): TreeNode => {
      const first = present(siblings[own[0] ?? -1]?.[depth], 'the step of a branch');
      return {
        step: first,
        depth,
        members: own,
        value: meanOrNull(own.flatMap((member) => values[member] ?? [])),
        children: grow(siblings, values, own, depth + 1),
        ends: own.filter((member) => siblings[member]?.length === depth + 1),
      };
    })
    .toSorted(byValue);
}

/**
 * Merges siblings on what they share from the beginning; what is alike after a difference stays apart, since
 * it was reached in another context.
 * @param siblings steps of each
 * @param values of the siblings, in the same order
 */
export const siblingTree = (
  siblings: readonly (readonly TreeStep[])[],
  values: readonly (number | null)[],
): TreeNode[] => grow(siblings, values, [...siblings.keys()], 0);

/** Meaning of a branch's colour. */
export type ValueBasis = 'advantage' | 'reward' | 'em';

export interface SiblingValues {
  /** Null where the siblings do not differ. */
  basis: ValueBasis | null;
  values: (number | null)[];
}

const varies = (values: readonly number[]): boolean => values.some((value) => value !== values[0]);

const known = (value: number | null | undefined): value is number =>
  value !== null && value !== undefined;

/**
 * Advantages where training stored them; else what a sibling earned, or its EM, less the mean of the group:
 * the first of them that differs. A fork is in no mean: it is not a draw of the group.
 */
export function valuesOf(
  siblings: readonly (Pick<ImportedRollout, 'advantage' | 'reward'> & { em: number | null })[],
  isFork: (at: number) => boolean = () => false,
): SiblingValues {
  const lists: [ValueBasis, (number | null)[]][] = [
    ['advantage', siblings.map(({ advantage }) => advantage)],
    ['reward', siblings.map(({ reward }) => reward)],
    ['em', siblings.map(({ em }) => em)],
  ];
  for (const [basis, raw] of lists) {
    const drawn = raw.filter((_, at) => !isFork(at)).filter(known);
    // Equal values tell nothing apart; another measure may.
    if (!varies(drawn)) continue;
    if (basis === 'advantage') return { basis, values: raw };
    const mean = meanOrNull(drawn) ?? 0;
    return { basis, values: raw.map((value) => (known(value) ? value - mean : null)) };
  }
  return { basis: null, values: siblings.map(() => null) };
}
