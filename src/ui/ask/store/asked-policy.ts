import type { PolicyRef } from '../../../records/setup.ts';
import type { PolicyChoice } from '../../../lab/contract/settings.ts';

/** The policies that Ask samples from, if not simply the setup's, and their form in an address. */

/** Policies that answer instead of the setup’s, or in comparison with it. */
export interface AskSides {
  /** Null: the setup's policy unchanged. */
  policy: PolicyChoice | null;
  /** A second policy, shown before the first; `alone`: the setup's policy unchanged. */
  beside: PolicyChoice | 'alone' | null;
}

/** Only the setup’s policy. */
export const NO_SIDES: AskSides = { policy: null, beside: null };

/** Empty if only the setup's policy is asked. */
export const someSides = (sides: AskSides): AskSides | null =>
  sides.policy === null && sides.beside === null ? null : sides;

const NEWEST = 'newest';
const ALONE = 'alone';
const KINDS = ['checkpoint', 'webllm', 'endpoint'] as const;
const LONGEST = 220;

const refText = (ref: PolicyRef): string =>
  ref.kind === 'built-in' ? ref.kind : `${ref.kind}:${ref.id}`;

/** One text per policy; runs and checkpoints by ids that are valid in this browser. */
export const policyText = (policy: PolicyChoice | 'alone'): string =>
  policy === 'alone'
    ? ALONE
    : policy.kind === 'base'
      ? refText(policy.policy)
      : `${policy.run}@${policy.step ?? NEWEST}`;

/** @returns null for a text that is not a policy */
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

/** The policies of a run, the compared one first. Undefined: the setup's policy. */
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
