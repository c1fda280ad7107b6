import type { GroupField } from '../../../lab/contract/records/rollout-files.ts';

/** Groupings of the table; run → step → question → group, outermost first. */
export const GROUPINGS: readonly { name: string; group: readonly GroupField[] }[] = [
  { name: 'not grouped', group: [] },
  { name: 'by question', group: ['question'] },
  { name: 'by group', group: ['group'] },
  { name: 'by step', group: ['step'] },
  { name: 'step, then question', group: ['step', 'question'] },
  { name: 'step, question, group', group: ['step', 'question', 'group'] },
  { name: 'by outcome', group: ['outcome'] },
];
