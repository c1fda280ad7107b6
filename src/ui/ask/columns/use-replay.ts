import { useEffect } from 'react';
import { nextReplay, ROUND_MS } from '../store/replay.ts';
import { isRunning, useRun } from '../store/run-store.ts';
import { useView } from '../store/view-store.ts';

/** How often a replay looks whether the next round has come, in milliseconds. */
const LOOK_MS = 150;

/** Advances the replay of the run on the screen. */
export const useReplay = (): void => {
  const active = useView((state) => state.replay !== null);
  useEffect(() => {
    if (!active) return undefined;
    let due = 0;
    const look = () => {
      const { replay } = useView.getState();
      const { table, run } = useRun.getState();
      if (replay === null || performance.now() < due) return;
      const next = nextReplay(replay, table, isRunning(run));
      if (next === replay) return;
      due = performance.now() + ROUND_MS;
      useView.setState({ replay: next });
    };
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [active]);
};
