import { createContext, useContext, useState, type ReactNode } from 'react';
import { createStore, useStore, type StoreApi } from 'zustand';
import { PLAIN_LOOK, type ChartLook } from './chart-view.ts';
import { remember, remembered } from '../page/remembered.ts';

/** State shared by the charts of a page: view settings and the step under the pointer. */

export interface ChartsState extends ChartLook {
  /** The shared crosshair. */
  hovered: number | null;
}

type ChartsStore = StoreApi<ChartsState>;

const KEY = 'forage.charts';

const lastLook = (): Pick<ChartLook, 'smoothing' | 'log'> => {
  try {
    const { smoothing, log } = JSON.parse(remembered(KEY) ?? '{}');
    return {
      smoothing: typeof smoothing === 'number' && smoothing >= 0 && smoothing < 1 ? smoothing : 0,
      log: log === true,
    };
  } catch {
    return { smoothing: 0, log: false };
  }
};

const createCharts = (shared: boolean): ChartsStore => {
  const store = createStore<ChartsState>()(() => ({
    ...PLAIN_LOOK,
    hovered: null,
    ...(shared && lastLook()),
  }));
  if (shared)
    store.subscribe(({ smoothing, log }, before) => {
      if (smoothing === before.smoothing && log === before.log) return;
      remember(KEY, JSON.stringify({ smoothing, log }));
    });
  return store;
};

const Shared = createContext<ChartsStore | null>(null);

/** Charts inside share view settings and crosshair. */
export const ChartsTogether = ({ children }: { children: ReactNode }) => {
  const [store] = useState(() => createCharts(true));
  return <Shared value={store}>{children}</Shared>;
};

/** The store of the page’s charts; a single chart has its own. */
export const useChartsStore = (): ChartsStore => {
  const shared = useContext(Shared);
  const [own] = useState(() => createCharts(false));
  return shared ?? own;
};

/** Selects from the charts store. */
export const useCharts = <T,>(store: ChartsStore, of: (state: ChartsState) => T): T =>
  useStore(store, of);
