import type { ImportedRollout, ImportedRole } from '../../../formats/rollouts/shape/imported.ts';
import type { TreeNode, TreeStep, ValueBasis } from '../../../evaluate/rollouts/siblings/tree.ts';
import type { IconName } from '../Icon.tsx';
import { eventLine, glyphOf } from '../events/cards.ts';
import { formatSigned } from '../words/format.ts';

/** Texts and symbols of the sibling tree. */

const ROLES: Partial<Record<ImportedRole, readonly [sign: IconName, name: string]>> = {
  think: ['think', 'Thought'],
  search: ['search', 'Search'],
  result: ['passages', 'Result'],
  answer: ['answer', 'Answer'],
  hint: ['hint', 'Hint'],
};

/** The text of a node. */
export interface StepWords {
  sign: IconName;
  name: string;
  line: string;
}

/** A step relative to the compared rollout. */
export function stepWords(
  { events, segments }: Pick<ImportedRollout, 'events' | 'segments'>,
  { of, at }: TreeStep,
): StepWords {
  const event = of === 'event' ? events?.[at] : undefined;
  if (event?.kind === 'retrieve')
    return { sign: event.source, name: `Result, ${event.source}`, line: eventLine(event) };
  if (event) return { ...glyphOf(event), line: eventLine(event) };
  const segment = segments[at];
  const [sign, name] = (segment && ROLES[segment.role]) ?? ['text', segment?.role ?? 'text'];
  return { sign, name, line: segment?.text.trim() ?? '' };
}

/** The values that colour nodes. */
export const BASIS_WORDS: Record<ValueBasis, string> = {
  advantage: 'advantage',
  reward: 'reward minus the group mean',
  em: 'EM minus the group mean',
};

/** A difference from the group’s mean, signed; null if a rollout's value is unknown. */
export const valueWords = (value: number | null): string =>
  value === null ? 'not in the mean' : formatSigned(value);

/** Characters of a step’s text in a sentence. */
const LONGEST = 160;

const cutLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)} …` : line;
};

/** A node in one sentence, for its tooltip and screen readers. */
export function nodeLabel(
  node: TreeNode,
  { name, line }: StepWords,
  count: number,
  basis: ValueBasis | null,
): string {
  const what = node.step.of === 'event' ? 'Event' : 'Part';
  const shared =
    node.members.length === 1 ? 'only one rollout' : `${node.members.length} of ${count} rollouts`;
  const value =
    basis === null || node.value === null
      ? ''
      : `, mean ${BASIS_WORDS[basis]} ${formatSigned(node.value)}`;
  return `${what} ${node.step.at + 1}, ${name}${line === '' ? '' : `: ${cutLine(line)}`}. ${shared}${value}`;
}
