import { create } from 'zustand';
import { z } from 'zod';
import { remember, remembered } from '../kit/page/remembered.ts';

/** Position in the guided tour; stored in this browser. */

/** Ids of the chapters, in their order. */
export const CHAPTER_IDS = [
  'ask',
  'train',
  'read',
  'before-after',
  'compare',
  'real-model',
] as const;
export type ChapterId = (typeof CHAPTER_IDS)[number];

const keptSchema = z.object({
  chapter: z.int().min(0),
  step: z.int().min(0),
  seen: z.array(z.string()),
});
/** 0-based chapter and step, and ids of finished chapters; a chapter past the last: the tour is over. */
type Kept = z.infer<typeof keptSchema>;

interface TourState extends Kept {
  open: boolean;
  /** Only the heading is shown. */
  folded: boolean;
}

const KEY = 'forage.tour';
const START: Kept = { chapter: 0, step: 0, seen: [] };

/** The stored position; the beginning if it is missing or invalid. */
export const parseTour = (text: string | null): Kept => {
  try {
    return keptSchema.parse(JSON.parse(text ?? ''));
  } catch {
    return START;
  }
};

/** The current position. The tour is closed at each page load. */
export const useTour = create<TourState>()(() => ({
  open: false,
  folded: false,
  ...parseTour(remembered(KEY)),
}));

useTour.subscribe(({ chapter, step, seen }) => {
  remember(KEY, JSON.stringify({ chapter, step, seen }));
});

/** Opens the tour at its position. */
export const openTour = (): void => useTour.setState({ open: true, folded: false });

/** Opens the tour at the beginning of a chapter. */
export const openChapter = (id: ChapterId): void =>
  useTour.setState({ open: true, folded: false, chapter: CHAPTER_IDS.indexOf(id), step: 0 });

/** Closes the tour; the position is kept. */
export const closeTour = (): void => useTour.setState({ open: false });

/** Folds the tour to its heading, or shows all of it. */
export const foldTour = (folded: boolean): void => useTour.setState({ folded });

/** Goes to a step; skipped steps are not marked as seen. */
export const goToStep = (chapter: number, step: number): void =>
  useTour.setState({ chapter, step });

/** Finishes a chapter and moves to the next unseen one, if any. */
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
