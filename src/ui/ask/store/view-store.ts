import { create } from 'zustand';
import { isNarrow, isOverlay } from '../../kit/page/screen.ts';
import { type AskAddress, parseAddress } from './permalink.ts';

/** What the details panel shows. Indices refer to the run on the screen. */
export type Selection =
  | { kind: 'event'; rolloutId: string; event: number }
  | { kind: 'token'; rolloutId: string; segment: number; token: number }
  | { kind: 'passage'; rolloutId: string; event: number; hit: number };

/** View state that the address does not carry, and the address itself as a value. */
interface ViewStore {
  address: AskAddress;
  addressProblems: string[];
  playing: boolean;
  selection: Selection | null;
  pinned: boolean;
  detailsOpen: boolean;
  setupOpen: boolean;
  /** What the token strips are coloured by, where the rollouts have advantages. */
  colourBy: 'writer' | 'advantage';
  setAddress: (change: Partial<AskAddress>) => void;
  select: (selection: Selection | null) => void;
}

const initial = parseAddress(globalThis.location?.search ?? '');

/**
 * What Ask shows of a run. The location bar follows the address in here; panels, selection and colours are
 * forgotten when the page is loaded again.
 */
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

/** Shows or hides one of the two panels beside the rollouts. */
export const togglePanel = (panel: 'setupOpen' | 'detailsOpen'): void =>
  useView.setState((state) => ({ [panel]: !state[panel] }));

/** For commands and links that lead to a field of the setup. */
export const openSetup = (): void => useView.setState({ setupOpen: true });
