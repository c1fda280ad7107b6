/** Something that is loaded in a worker: its promise, and how to end it. */
export interface Slot<T> {
  loading: Promise<T> | null;
  terminate: () => void;
}

export const emptySlot = <T>(): Slot<T> => ({ loading: null, terminate: () => undefined });
