import type { PolicyRef, Resources, Setup } from '../../../records/setup.ts';
import type { CheckpointView } from '../../../lab/contract/checkpoints.ts';

/** What a policy is called in lists, and whether it is still there. */

/** One word a policy, by which lists tell them apart. */
export const keyOf = (ref: PolicyRef): string => ('id' in ref ? `${ref.kind}:${ref.id}` : ref.kind);

/** The value of a list of helpers: a model’s key, or the word of what is for it (`off`, `extractive`). */
export const helperValue = (helper: Setup['summarizer'] | Setup['judge']): string =>
  helper.kind === 'model' ? keyOf(helper.policy) : helper.kind;

/** A policy as a list offers it. */
export interface PolicyChoice {
  ref: PolicyRef;
  label: string;
  group: string;
  /** It has a chat template, so it can judge and summarize. */
  chats: boolean;
}

const host = (url: string): string => {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
};

/** Everything that can be chosen, the built-in policy first; `kept` is listed even where it is gone. */
export function policyChoices(
  { endpoints, webllm }: Resources,
  checkpoints: readonly CheckpointView[],
  kept: readonly PolicyRef[],
): PolicyChoice[] {
  const choices: PolicyChoice[] = [
    { ref: { kind: 'built-in' }, label: 'built-in', group: 'Trains here', chats: false },
    ...checkpoints
      .filter(({ state }) => state === 'ready')
      .map(({ id, name }): PolicyChoice => ({
        ref: { kind: 'checkpoint', id },
        label: name,
        group: 'Trains here',
        chats: true,
      })),
    ...endpoints.map(({ id, model, url }): PolicyChoice => ({
      ref: { kind: 'endpoint', id },
      label: `${model} at ${host(url)}`,
      group: 'Servers (sample only)',
      chats: true,
    })),
    ...webllm.map(({ id }): PolicyChoice => ({
      ref: { kind: 'webllm', id },
      label: id,
      group: 'WebLLM (samples only)',
      chats: true,
    })),
  ];
  const known = new Set(choices.map(({ ref }) => keyOf(ref)));
  for (const ref of kept) {
    if (known.has(keyOf(ref)) || ref.kind === 'built-in') continue;
    known.add(keyOf(ref));
    // A model of WebLLM's own list is in no list of the user's.
    const gone = ref.kind !== 'webllm';
    choices.push({
      ref,
      label: gone ? `${ref.id} (deleted)` : ref.id,
      group: gone ? 'Deleted' : 'WebLLM (samples only)',
      chats: true,
    });
  }
  return choices;
}

/** Choices as a grouped list for a select. */
export const grouped = (
  choices: readonly PolicyChoice[],
): { group: string; items: { value: string; label: string }[] }[] =>
  [...new Set(choices.map(({ group }) => group))].map((group) => ({
    group,
    items: choices
      .filter((choice) => choice.group === group)
      .map(({ ref, label }) => ({ value: keyOf(ref), label })),
  }));

/** Policies that a setup names. */
export const policiesOf = ({ policy, summarizer, judge }: Setup): PolicyRef[] => [
  policy,
  ...(summarizer.kind === 'model' ? [summarizer.policy] : []),
  ...(judge.kind === 'model' ? [judge.policy] : []),
];
