import type { PolicyRef, Setup } from '../../records/setup.ts';
import { useSetup } from './setup-store.ts';

/** Deleted models are no longer used; restored ones are used again unless another choice was made. */

const sameRef = (a: PolicyRef, b: PolicyRef): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Uses of a model. */
export type PolicyUse = 'policy' | 'summarizer' | 'judge';
/** Uses of an encoder. */
export type EncoderUse = 'encoder' | 'reranker';

/** @returns its uses; runs fall back to the built-in policy, or none */
export const forgetPolicy = (ref: PolicyRef): PolicyUse[] => {
  const { setup, change } = useSetup.getState();
  const { policy, summarizer, judge } = setup;
  const uses: PolicyUse[] = [];
  if (sameRef(policy, ref)) uses.push('policy');
  if (summarizer.kind === 'model' && sameRef(summarizer.policy, ref)) uses.push('summarizer');
  if (judge.kind === 'model' && sameRef(judge.policy, ref)) uses.push('judge');
  const part: Partial<Setup> = {
    ...(uses.includes('policy') && { policy: { kind: 'built-in' } }),
    ...(uses.includes('summarizer') && { summarizer: { kind: 'off' } }),
    ...(uses.includes('judge') && { judge: { kind: 'off' } }),
  };
  if (uses.length > 0) change(part);
  return uses;
};

/** Restores its uses; choices made meanwhile are kept. */
export const takeUpPolicy = (ref: PolicyRef, uses: readonly PolicyUse[]): void => {
  const { setup, change } = useSetup.getState();
  const again = (use: PolicyUse, left: string): boolean =>
    uses.includes(use) && setup[use].kind === left;
  const part: Partial<Setup> = {
    ...(again('policy', 'built-in') && { policy: ref }),
    ...(again('summarizer', 'off') && { summarizer: { kind: 'model', policy: ref } }),
    ...(again('judge', 'off') && { judge: { kind: 'model', policy: ref } }),
  };
  if (Object.keys(part).length > 0) change(part);
};

const LOST: Record<PolicyUse, string> = {
  policy: 'the built-in model is used now',
  summarizer: 'nothing is summarized now',
  judge: 'nothing is judged now',
};

/** Effect of a deletion, appended to the name; empty if none. */
export const lostWords = (uses: readonly PolicyUse[]): string =>
  uses.map((use) => `; ${LOST[use]}`).join('');

/** @returns its uses; searches fall back to the built-in encoder, or none */
export const forgetEncoder = (id: string): EncoderUse[] => {
  const { setup, change } = useSetup.getState();
  const { local } = setup;
  if (local.kind === 'built-in') return [];
  const uses: EncoderUse[] = [];
  if (local.encoder === id) uses.push('encoder');
  if (local.reranker === id) uses.push('reranker');
  if (uses.length > 0)
    change({
      local: {
        ...local,
        ...(uses.includes('encoder') && { encoder: 'built-in' }),
        ...(uses.includes('reranker') && { reranker: null }),
      },
    });
  return uses;
};

/** The same for an encoder or cross-encoder. */
export const takeUpEncoder = (id: string, uses: readonly EncoderUse[]): void => {
  const { setup, change } = useSetup.getState();
  const { local } = setup;
  if (local.kind === 'built-in') return;
  const encoder = uses.includes('encoder') && local.encoder === 'built-in';
  const reranker = uses.includes('reranker') && local.reranker === null;
  if (encoder || reranker)
    change({
      local: { ...local, ...(encoder && { encoder: id }), ...(reranker && { reranker: id }) },
    });
};
