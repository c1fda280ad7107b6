import { create } from 'zustand';
import { messageOf } from '../../data/message-of.ts';
import type { EncoderFacts, FolderFile } from '../../runs/encoders/messages.ts';
import { lab } from './connection.ts';

/** Encoders and cross-encoders of this device. */

interface EncodersStore {
  status: 'waiting' | 'ready';
  encoders: EncoderFacts[];
  /** A folder is being read and tried. */
  adding: boolean;
  problem: string | null;
  /** Removed in this visit; they can come back until the next. */
  removed: EncoderFacts[];
}

export const useEncoders = create<EncodersStore>()(() => ({
  status: 'waiting',
  encoders: [],
  adding: false,
  problem: null,
  removed: [],
}));

/** Runs a call; what it throws is shown, and the list is read again. */
const attempt = async (call: () => Promise<unknown>): Promise<boolean> => {
  try {
    await call();
    return true;
  } catch (error) {
    useEncoders.setState({ problem: messageOf(error) });
    return false;
  } finally {
    await readEncoders();
  }
};

export const readEncoders = async (): Promise<void> => {
  try {
    useEncoders.setState({ encoders: await lab().encoders.list(), status: 'ready' });
  } catch (error) {
    useEncoders.setState({ problem: messageOf(error), status: 'ready' });
  }
};

/** @param files of one folder */
export const addEncoder = async (files: FolderFile[]): Promise<void> => {
  useEncoders.setState({ adding: true, problem: null });
  await attempt(() => lab().encoders.add(files));
  useEncoders.setState({ adding: false });
};

export const removeEncoder = async (encoder: EncoderFacts): Promise<void> => {
  if (await attempt(() => lab().encoders.remove(encoder.id)))
    useEncoders.setState(({ removed }) => ({ removed: [...removed, encoder] }));
};

export const restoreEncoder = async (id: string): Promise<void> => {
  if (await attempt(() => lab().encoders.restore(id)))
    useEncoders.setState(({ removed }) => ({ removed: removed.filter((one) => one.id !== id) }));
};

export const dismissEncoderProblem = (): void => useEncoders.setState({ problem: null });
