import { create } from 'zustand';
import type { Rollout } from '../../../records/rollout.ts';
import { useLab } from '../../lab/lab-store.ts';

/** Texts of single tokens, asked of the lab once each; the page itself has no tokenizer. */
interface Pieces {
  texts: Readonly<Record<number, string>>;
}

export const usePieces = create<Pieces>()(() => ({ texts: {} }));

const asked = new Set<number>();

export const forgetPieces = (): void => {
  asked.clear();
  usePieces.setState({ texts: {} });
};

export const requestPieces = async (
  ids: readonly number[],
  load: (ids: number[]) => Promise<string[]>,
): Promise<void> => {
  const fresh = [...new Set(ids)].filter((id) => !asked.has(id));
  if (fresh.length === 0) return;
  for (const id of fresh) asked.add(id);
  try {
    const texts = await load(fresh);
    usePieces.setState((state) => ({
      texts: { ...state.texts, ...Object.fromEntries(fresh.map((id, i) => [id, texts[i] ?? ''])) },
    }));
  } catch {
    // Asked again with the next hover; the id is shown meanwhile.
    for (const id of fresh) asked.delete(id);
  }
};

/** Whether the policy that is loaded knows this rollout's ids. */
export const useKnowsIds = ({ policy }: Pick<Rollout, 'policy'>): boolean =>
  useLab((state) => state.policy?.id === policy.id);

/** A token as it can be read: blanks and line ends made visible. */
export const visible = (text: string): string =>
  text.replaceAll(' ', '␣').replaceAll('\n', '⏎').replaceAll('\t', '⇥') || '∅';
