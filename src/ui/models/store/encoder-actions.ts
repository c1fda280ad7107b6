import { messageOf } from '../../../base/errors.ts';
import type { EncoderFacts, FolderFile } from '../../../lab/contract/encoders.ts';
import { showStorageFault } from '../../kit/storage-news.ts';
import { lab } from '../../lab/connection.ts';
import { forgetEncoder, takeUpEncoder } from '../../setup/setup-uses.ts';
import { useModels, type EncodersState } from './models-store.ts';

/** Encoders and cross-encoders on this device. */

const change = (part: Partial<EncodersState>): void =>
  useModels.setState(({ encoders }) => ({ encoders: { ...encoders, ...part } }));

/** Runs a call, shows its failure with advice, and reloads the list. */
const attempt = async (call: () => Promise<unknown>, next: string): Promise<boolean> => {
  try {
    await call();
    return true;
  } catch (error) {
    if (!showStorageFault(error)) change({ problem: { text: messageOf(error), next } });
    return false;
  } finally {
    await readEncoders();
  }
};

/** Reloads the list. It is `ready` even on failure, because nothing else will come. */
export const readEncoders = async (): Promise<void> => {
  try {
    change({ encoders: await lab().encoders.list(), status: 'ready' });
  } catch (error) {
    change({ status: 'ready' });
    if (!showStorageFault(error))
      change({
        problem: { text: messageOf(error), next: 'Reload the page; stored data is kept.' },
      });
  }
};

/** @param files of one folder */
export const addEncoder = async (files: FolderFile[]): Promise<void> => {
  change({ adding: true, problem: null });
  await attempt(() => lab().encoders.add(files), 'Nothing was stored.');
  change({ adding: false });
};

/**
 * Deletes without confirmation; `restoreEncoder` undoes it. Searches use the built-in one, or none,
 * meanwhile.
 */
export const removeEncoder = async ({ id }: EncoderFacts): Promise<void> => {
  if (!(await attempt(() => lab().encoders.remove(id), 'Nothing was changed.'))) return;
  const uses = forgetEncoder(id);
  change({ removed: [...useModels.getState().encoders.removed, { id, uses, at: Date.now() }] });
};

/** Restores it, and its use unless another choice was made meanwhile. */
export const restoreEncoder = async (id: string): Promise<void> => {
  const entry = useModels.getState().encoders.removed.find((one) => one.id === id);
  const back = await attempt(() => lab().encoders.restore(id), 'Add its folder again.');
  // On failure it stays restorable for another try.
  if (!back) return;
  if (entry) takeUpEncoder(id, entry.uses);
  const { removed } = useModels.getState().encoders;
  change({ removed: removed.filter((one) => one.id !== id) });
};

/** Dismisses the last failure. */
export const dismissEncoderProblem = (): void => change({ problem: null });
