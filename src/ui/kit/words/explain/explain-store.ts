import { create } from 'zustand';
import type { TermId } from './terms.ts';

/** The open explanation, and its word. */
interface Explained {
  id: TermId;
  anchor: HTMLElement;
}

/** At most one explanation is open. */
export const useExplained = create<{ open: Explained | null }>()(() => ({ open: null }));

/** Explains a term next to a word; a second click on the same word closes it. */
export const explain = (id: TermId, anchor: HTMLElement): void =>
  useExplained.setState(({ open }) => ({ open: open?.anchor === anchor ? null : { id, anchor } }));

/** Closes the open explanation, if any. */
export const closeExplanation = (): void => useExplained.setState({ open: null });
