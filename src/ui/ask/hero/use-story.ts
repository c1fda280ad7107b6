import { useEffect, useMemo, useState } from 'react';
import type { Recording } from './recording.ts';
import { storyOf, type Beat } from './story.ts';

const still = (): boolean =>
  globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches ?? false;

/** Ends a pause as soon as the tab is shown again. */
const useShown = (): boolean => {
  const [shown, setShown] = useState(document.visibilityState !== 'hidden');
  useEffect(() => {
    const look = () => setShown(document.visibilityState !== 'hidden');
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return shown;
};

/** Plays the recording beat by beat: one timer per beat, none while the tab is hidden. Reduced motion begins at the end. */
export const useStory = (recording: Recording) => {
  const beats = useMemo(() => storyOf(recording), [recording]);
  const last = beats.length - 1;
  const [at, setAt] = useState(() => (still() ? last : 0));
  const [paused, setPaused] = useState(false);
  const shown = useShown();
  const beat = beats[at] as Beat;
  useEffect(() => {
    if (paused || !shown || at >= last) return undefined;
    const timer = setTimeout(() => setAt(at + 1), beat.ms);
    return () => clearTimeout(timer);
  }, [at, beat, last, paused, shown]);
  const ended = at >= last;
  return {
    beat,
    at,
    ended,
    paused,
    /** Pauses, continues, or begins again at the end. */
    toggle: () => {
      if (ended) setAt(0);
      setPaused(ended ? false : !paused);
    },
  };
};
