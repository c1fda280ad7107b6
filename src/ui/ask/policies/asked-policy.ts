import type { PolicyRef } from '../../../records/setup.ts';
import type { PolicyChoice } from '../../../lab/contract/settings.ts';

/** Whose text Ask samples, where that is not simply the setup's policy, and as an address says it. */

/** Policies that answer in place of the setup’s, or beside it. */
export interface AskSides {
  /** Null: the setup's policy as it is. */
  policy: PolicyChoice | null;
  /** A second one, which stands before the first; `alone`: the setup's policy as it is. */
  beside: PolicyChoice | 'alone' | null;
}

/** The setup’s policy alone. */
export const NO_SIDES: AskSides = { policy: null, beside: null };

/** Nothing, where only the setup's policy is asked. */
export const someSides = (sides: AskSides): AskSides | null =>
  sides.policy === null && sides.beside === null ? null : sides;

const NEWEST = 'newest';
const ALONE = 'alone';
const KINDS = ['checkpoint', 'webllm', 'endpoint'] as const;
const LONGEST = 220;

const refText = (ref: PolicyRef): string =>
  ref.kind === 'built-in' ? ref.kind : `${ref.kind}:${ref.id}`;

/** One text for one policy; runs and checkpoints by their ids, which mean something in this browser. */
export const policyText = (policy: PolicyChoice | 'alone'): string =>
  policy === 'alone'
    ? ALONE
    : policy.kind === 'base'
      ? refText(policy.policy)
      : `${policy.run}@${policy.step ?? NEWEST}`;

/** @returns null for a text that names none */
export function parsePolicyText(text: string): PolicyChoice | 'alone' | null {
  if (text === ALONE) return 'alone';
  if (text === 'built-in') return { kind: 'base', policy: { kind: 'built-in' } };
  if (text.length > LONGEST) return null;
  const kind = KINDS.find((one) => text.startsWith(`${one}:`));
  if (kind) {
    const id = text.slice(kind.length + 1);
    return id === '' ? null : { kind: 'base', policy: { kind, id } };
  }
  const at = text.lastIndexOf('@');
  const [run, step] = [text.slice(0, at), text.slice(at + 1)];
  if (at <= 0) return null;
  if (step === NEWEST) return { kind: 'run', run, step: null };
  return /^\d{1,9}$/.test(step) ? { kind: 'run', run, step: Number(step) } : null;
}

/** What a run is asked with; the one that stands before comes first. Undefined: the setup's policy. */
export function policiesOf(
  sides: AskSides | null | undefined,
  setup: { policy: PolicyRef },
): PolicyChoice[] | undefined {
  if (!sides || !someSides(sides)) return undefined;
  const own: PolicyChoice = { kind: 'base', policy: setup.policy };
  const after = sides.policy ?? own;
  if (sides.beside === null) return [after];
  return [sides.beside === 'alone' ? own : sides.beside, after];
}
