import { useEffect } from 'react';
import { nextReplay, ROUND_MS } from '../store/replay.ts';
import { isRunning, useAsk } from '../store/ask-store.ts';

/** How often a replay looks whether the next round has come, in milliseconds. */
const LOOK_MS = 150;

/** Advances the replay of the run on the screen. */
export const useReplay = (): void => {
  const active = useAsk((state) => state.replay !== null);
  useEffect(() => {
    if (!active) return undefined;
    let due = 0;
    const look = () => {
      const { replay } = useAsk.getState();
      const { table, run } = useAsk.getState();
      if (replay === null || performance.now() < due) return;
      const next = nextReplay(replay, table, isRunning(run));
      if (next === replay) return;
      due = performance.now() + ROUND_MS;
      useAsk.setState({ replay: next });
    };
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [active]);
};
