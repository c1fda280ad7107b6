import { create } from 'zustand';
import { messageOf } from '../../../base/errors.ts';
import type { EncoderFacts, FolderFile } from '../../../lab/contract/encoders.ts';
import { showStorageFault } from '../../kit/storage-news.ts';
import { lab } from '../../lab/connection.ts';
import { forgetEncoder, takeUpEncoder, type EncoderUse } from '../../setup/setup-uses.ts';

/** Encoders and cross-encoders on this device. */

interface EncodersStore {
  status: 'waiting' | 'ready';
  encoders: EncoderFacts[];
  /** A folder is being tested. */
  adding: boolean;
  problem: { text: string; next: string } | null;
  /** Removed in this visit; restorable until the page is reloaded. */
  removed: readonly { id: string; uses: readonly EncoderUse[]; at: number }[];
}

/** For all pages that show encoders; changed only by this file. */
export const useEncoders = create<EncodersStore>()(() => ({
  status: 'waiting',
  encoders: [],
  adding: false,
  problem: null,
  removed: [],
}));

/** Runs a call, shows its failure with advice, and reloads the list. */
const attempt = async (call: () => Promise<unknown>, next: string): Promise<boolean> => {
  try {
    await call();
    return true;
  } catch (error) {
    if (!showStorageFault(error))
      useEncoders.setState({ problem: { text: messageOf(error), next } });
    return false;
  } finally {
    await readEncoders();
  }
};

/** Reloads the list. It is `ready` even on failure, because nothing else will come. */
export const readEncoders = async (): Promise<void> => {
  try {
    useEncoders.setState({ encoders: await lab().encoders.list(), status: 'ready' });
  } catch (error) {
    useEncoders.setState({ status: 'ready' });
    if (!showStorageFault(error))
      useEncoders.setState({
        problem: { text: messageOf(error), next: 'Reload the page; stored data is kept.' },
      });
  }
};

/** @param files of one folder */
export const addEncoder = async (files: FolderFile[]): Promise<void> => {
  useEncoders.setState({ adding: true, problem: null });
  await attempt(() => lab().encoders.add(files), 'Nothing was stored.');
  useEncoders.setState({ adding: false });
};

/**
 * Deletes without confirmation; `restoreEncoder` undoes it. Searches use the built-in one, or none,
 * meanwhile.
 */
export const removeEncoder = async ({ id }: EncoderFacts): Promise<void> => {
  if (!(await attempt(() => lab().encoders.remove(id), 'Nothing was changed.'))) return;
  const uses = forgetEncoder(id);
  useEncoders.setState(({ removed }) => ({ removed: [...removed, { id, uses, at: Date.now() }] }));
};

/** Restores it, and its use unless another choice was made meanwhile. */
export const restoreEncoder = async (id: string): Promise<void> => {
  const entry = useEncoders.getState().removed.find((one) => one.id === id);
  const back = await attempt(() => lab().encoders.restore(id), 'Add its folder again.');
  // On failure it stays restorable for another try.
  if (!back) return;
  if (entry) takeUpEncoder(id, entry.uses);
  useEncoders.setState(({ removed }) => ({ removed: removed.filter((one) => one.id !== id) }));
};

/** Dismisses the last failure. */
export const dismissEncoderProblem = (): void => useEncoders.setState({ problem: null });
