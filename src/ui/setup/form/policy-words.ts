import { useEffect } from 'react';
import type { PolicyRef, Resources, Setup } from '../../../records/setup.ts';
import type { CheckpointView } from '../../../lab/contract/checkpoints.ts';
import { refreshCheckpoints } from '../../models/store/checkpoint-actions.ts';
import { useModels } from '../../models/store/models-store.ts';
import { useSetup } from '../setup-store.ts';

/** Names of policies in lists, and whether they still exist. */

/** A key per policy for lists. */
export const keyOf = (ref: PolicyRef): string => ('id' in ref ? `${ref.kind}:${ref.id}` : ref.kind);

/** Value of a helper select: a model’s key, or a built-in choice (`off`, `extractive`). */
export const helperValue = (helper: Setup['summarizer'] | Setup['judge']): string =>
  helper.kind === 'model' ? keyOf(helper.policy) : helper.kind;

/** A policy as an option. */
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

/** All options, the built-in policy first; includes `kept` even if deleted. */
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
    // WebLLM's own models are not in the user's list.
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

/** Models with a chat template: the built-in one cannot follow a prompt. */
export function useChatModels(): PolicyChoice[] {
  useEffect(() => void refreshCheckpoints(), []);
  const resources = useSetup((state) => state.resources);
  const checkpoints = useModels((state) => state.checkpoints);
  return policyChoices(resources, checkpoints, []).filter(({ chats }) => chats);
}

/** Options grouped for a select. */
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
