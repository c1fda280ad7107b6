import { useMemo } from 'react';
import { tagNames, type TagNames } from '../../../agent/transcript/tag-names.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { useSession } from '../session-store.ts';

/** Texts of tokens, requested from the lab once each; the page has no tokenizer. */

type LoadPieces = (ids: number[]) => Promise<string[]>;

const asked = new Set<number>();
let load: LoadPieces = () => Promise.reject(new Error('No model is loaded.'));

/** Sets the source of texts; known texts are kept. */
export const providePieces = (from: LoadPieces): void => {
  load = from;
};

/** Another policy has another tokenizer. */
export const forgetPieces = (): void => {
  asked.clear();
  useSession.setState({ pieces: {} });
};

/** Requests the texts of unknown `ids`; they arrive in the store. Never rejects. */
export const requestPieces = async (ids: readonly number[]): Promise<void> => {
  const fresh = [...new Set(ids)].filter((id) => !asked.has(id));
  if (fresh.length === 0) return;
  for (const id of fresh) asked.add(id);
  try {
    const texts = await load(fresh);
    useSession.setState(({ pieces }) => ({
      pieces: { ...pieces, ...Object.fromEntries(fresh.map((id, i) => [id, texts[i] ?? ''])) },
    }));
  } catch {
    // Retried on the next hover; the id is shown meanwhile.
    for (const id of fresh) asked.delete(id);
  }
};

/** Whether the loaded policy can decode this rollout's ids. */
export const useKnowsIds = ({ policy }: Pick<Rollout, 'policy'>): boolean =>
  useSession((state) => state.policy?.id === policy.id);

/** The recipe's names of the policy's tag tokens, by token. */
export const useTagNames = ({ recipe, segments }: Rollout): TagNames =>
  useMemo(() => tagNames({ recipe, segments }), [recipe, segments]);

/** Note for a token shown under another name. */
export const trueToken = (token: string): string => `the model’s token is ${token}`;

/** A token with visible blanks and line ends. */
export const visible = (text: string): string =>
  text.replaceAll(' ', '␣').replaceAll('\n', '⏎').replaceAll('\t', '⇥') || '∅';
