import { create } from 'zustand';
import type { TermId } from './terms.ts';

/** The one explanation that is open, and the word that it belongs to. */
interface Explained {
  id: TermId;
  anchor: HTMLElement;
}

/** At most one explanation is open on the page. */
export const useExplained = create<{ open: Explained | null }>()(() => ({ open: null }));

/** Explains a term beside a word; a second press on the same word closes it again. */
export const explain = (id: TermId, anchor: HTMLElement): void =>
  useExplained.setState(({ open }) => ({ open: open?.anchor === anchor ? null : { id, anchor } }));

/** Closes the explanation that is open, if one is. */
export const closeExplanation = (): void => useExplained.setState({ open: null });
