import { create } from 'zustand';

/** The two global dialogs; at most one is open. */

export type Dialog = 'palette' | 'keys';

/** Which dialog is open; null: none. */
export const useDialogs = create<{ open: Dialog | null }>()(() => ({ open: null }));

/** Toggles it. */
export const toggleDialog = (dialog: Dialog): void =>
  useDialogs.setState(({ open }) => ({ open: open === dialog ? null : dialog }));

/** Closes whichever is open. */
export const closeDialog = (): void => useDialogs.setState({ open: null });
