import { create } from 'zustand';
import { z } from 'zod';
import { remember, remembered } from '../../kit/page/remembered.ts';

/** Where a visitor is in the guided tour; remembered in this browser, so that it continues another day. */

const keptSchema = z.object({
  chapter: z.int().min(0),
  step: z.int().min(0),
  seen: z.array(z.string()),
});
/** Indices from 0 of chapter and step, and ids of ended chapters; a chapter past the last: the tour is over. */
type Kept = z.infer<typeof keptSchema>;

interface TourState extends Kept {
  open: boolean;
}

const KEY = 'forage.tour';
const START: Kept = { chapter: 0, step: 0, seen: [] };

/** The place of the last visit; the beginning where there is none that can be read. */
export const parseTour = (text: string | null): Kept => {
  try {
    return keptSchema.parse(JSON.parse(text ?? ''));
  } catch {
    return START;
  }
};

/** Where the visitor stands. Closed at each start of the page, wherever it was left. */
export const useTour = create<TourState>()(() => ({ open: false, ...parseTour(remembered(KEY)) }));

useTour.subscribe(({ chapter, step, seen }) => {
  remember(KEY, JSON.stringify({ chapter, step, seen }));
});

/** Opens the tour where it was left. */
export const openTour = (): void => useTour.setState({ open: true });

/** Puts the tour away; it continues where it was left. */
export const closeTour = (): void => useTour.setState({ open: false });

/** Goes to a step; what is left behind is not marked as seen. */
export const goToStep = (chapter: number, step: number): void =>
  useTour.setState({ chapter, step });

/** Ends a chapter: marks it, and is at the next one that was not seen, if any. */
export const endChapter = (ids: readonly string[]): void =>
  useTour.setState(({ chapter, seen }) => {
    const id = ids[chapter];
    const now = id === undefined || seen.includes(id) ? seen : [...seen, id];
    const next = ids.findIndex((one, i) => i > chapter && !now.includes(one));
    const left = next >= 0 ? next : ids.findIndex((one) => !now.includes(one));
    return left >= 0
      ? { seen: now, chapter: left, step: 0 }
      : { seen: now, chapter: ids.length, step: 0 };
  });

/** From the beginning. */
export const restartTour = (): void => useTour.setState({ open: true, ...START });
