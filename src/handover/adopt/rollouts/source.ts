import type { ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import type { RolloutFact } from './facts.ts';

/** Rollouts of a run by step. Records stay in their files until a step is asked for. */
export interface RolloutSource {
  /** By Forage's step. */
  readonly facts: ReadonlyMap<number, readonly RolloutFact[]>;
  /** Of the held-out questions, by step. */
  readonly heldOut: ReadonlyMap<number, readonly RolloutFact[]>;
  /** The rollouts of a step, in the order of their files. */
  read(step: number): Promise<ImportedRollout[]>;
}

/** The last of equal ids counts, in the place of the first: a trainer that lost a reply asks again. */
export function lastById<T extends { fact: RolloutFact }>(entries: readonly T[]): T[] {
  const byId = new Map<string, T>();
  for (const entry of entries) byId.set(entry.fact.id, entry);
  return [...byId.values()];
}

/** A trainer that was started again names rollouts after the update that it continued from. */
const attemptOf = (id: string): number => Number(/-from-(\d+)$/.exec(id)?.[1] ?? 0);

/** Rollouts of the last attempt at a step: what died before its update was not learnt from. */
export function lastAttempt<T extends { fact: RolloutFact }>(entries: readonly T[]): T[] {
  const last = entries.reduce((most, { fact }) => Math.max(most, attemptOf(fact.id)), 0);
  return entries.filter(({ fact }) => attemptOf(fact.id) === last);
}

export const isHeldOut = (groupId: string): boolean => /(?:^|-)held-out-\d+/.test(groupId);
export const isScoring = (groupId: string): boolean => /-scoring-\d+$/.test(groupId);
