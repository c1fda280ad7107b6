import { create } from 'zustand';
import { remember, remembered } from '../../kit/page/remembered.ts';
import { isNarrow, isOverlay } from '../../kit/page/screen.ts';
import { type AskAddress, parseAddress } from './permalink.ts';

/** What the details panel shows. Indices refer to the run on the screen. */
export type Selection =
  | { kind: 'round'; rolloutId: string; round: number }
  | { kind: 'event'; rolloutId: string; event: number }
  | { kind: 'token'; rolloutId: string; segment: number; token: number }
  | { kind: 'passage'; rolloutId: string; event: number; hit: number };

/** View state outside the address, and the parsed address itself. */
interface ViewStore {
  address: AskAddress;
  addressProblems: string[];
  playing: boolean;
  /** Rounds of each rollout that the replay after a run has reached; null: no replay, everything is shown. */
  replay: number | null;
  selection: Selection | null;
  pinned: boolean;
  detailsOpen: boolean;
  setupOpen: boolean;
  /** What the token strips are coloured by, where the rollouts have advantages. */
  colourBy: 'writer' | 'advantage';
  /** Scores, tokens and times of the rollouts are shown, too. */
  moreOpen: boolean;
  setAddress: (change: Partial<AskAddress>) => void;
  /** @param open whether the panel may open for it; by default it may */
  select: (selection: Selection | null, open?: boolean) => void;
}

/** Whether the user last opened or closed the setup; where neither, it opens with the first run. */
const SETUP_KEY = 'forage.ask.setup';

const initial = parseAddress(globalThis.location?.search ?? '');

/**
 * View state of Ask. The location bar follows `address`; panels, selection and colours are reset when
 * the page reloads.
 */
export const useView = create<ViewStore>()((set) => ({
  address: initial.address,
  addressProblems: initial.problems,
  playing: false,
  replay: null,
  selection: null,
  pinned: false,
  detailsOpen: !isOverlay(),
  // The first screen is calm, and a narrow one shows the rollout first; the setup is one click away.
  setupOpen: remembered(SETUP_KEY) === 'open' && !isNarrow(),
  colourBy: 'advantage',
  moreOpen: false,
  setAddress: (change) => set((state) => ({ address: { ...state.address, ...change } })),
  // A pinned panel keeps its content.
  select: (selection, open = true) =>
    set((state) => {
      if (state.pinned && selection) return {};
      return { selection, detailsOpen: state.detailsOpen || (open && selection !== null) };
    }),
}));

/** On a narrow screen the setup covers the page, so it is opened for the moment only. */
const rememberSetup = (open: boolean): void => {
  if (!isNarrow()) remember(SETUP_KEY, open ? 'open' : 'closed');
};

/** Shows or hides one of the two side panels. */
export const togglePanel = (panel: 'setupOpen' | 'detailsOpen'): void => {
  useView.setState((state) => ({ [panel]: !state[panel] }));
  if (panel === 'setupOpen') rememberSetup(useView.getState().setupOpen);
};

/** For commands and links that focus a field of the setup. */
export const openSetup = (): void => {
  useView.setState({ setupOpen: true });
  rememberSetup(true);
};

/** What a run changes of the setup: it is shown with the first one, unless the user closed it; never on a narrow screen. */
export const setupAtRun = (): { setupOpen?: boolean } => {
  if (isNarrow()) return { setupOpen: false };
  return remembered(SETUP_KEY) === null ? { setupOpen: true } : {};
};
