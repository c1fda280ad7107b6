import { create } from 'zustand';
import { parseAddress, type InspectAddress } from './permalink.ts';

/** What the details panel shows. Indices refer to the run on the screen. */
export type Selection =
  | { kind: 'event'; rolloutId: string; event: number }
  | { kind: 'token'; rolloutId: string; segment: number; token: number }
  | { kind: 'passage'; rolloutId: string; event: number; hit: number };

/** View state that the address does not carry, and the address itself as a value. */
interface ViewStore {
  address: InspectAddress;
  addressProblems: string[];
  playing: boolean;
  selection: Selection | null;
  pinned: boolean;
  detailsOpen: boolean;
  setupOpen: boolean;
  /** What the token strips are coloured by, where the rollouts have advantages. */
  colourBy: 'writer' | 'advantage';
  paletteOpen: boolean;
  keysOpen: boolean;
  setAddress: (change: Partial<InspectAddress>) => void;
  select: (selection: Selection | null) => void;
}

export const isNarrow = (): boolean =>
  globalThis.matchMedia?.('(max-width: 760px)').matches ?? false;

/** The details lie over the rollout instead of beside it. */
export const isOverlay = (): boolean =>
  globalThis.matchMedia?.('(max-width: 1180px)').matches ?? false;

const initial = parseAddress(globalThis.location?.search ?? '');

export const useView = create<ViewStore>()((set) => ({
  address: initial.address,
  addressProblems: initial.problems,
  playing: false,
  selection: null,
  pinned: false,
  detailsOpen: !isOverlay(),
  // A narrow screen shows the rollout first; the setup is one press away.
  setupOpen: !isNarrow(),
  colourBy: 'advantage',
  paletteOpen: false,
  keysOpen: false,
  setAddress: (change) => set((state) => ({ address: { ...state.address, ...change } })),
  // A pinned panel keeps what it shows.
  select: (selection) =>
    set((state) => {
      if (state.pinned && selection) return {};
      // An opened card says it all; over the rollout the panel would only hide it.
      const unasked = selection === null || (selection.kind === 'event' && isOverlay());
      return { selection, detailsOpen: state.detailsOpen || !unasked };
    }),
}));
