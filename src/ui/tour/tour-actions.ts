import { z } from 'zod';
import { remember, remembered } from '../kit/page/remembered.ts';
import { useSession, type TourState } from '../kit/session-store.ts';

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
type Kept = z.infer<typeof keptSchema>;

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

const change = (part: Partial<TourState>): void =>
  useSession.setState(({ tour }) => ({ tour: { ...tour, ...part } }));

// The tour is closed at each page load.
change(parseTour(remembered(KEY)));

useSession.subscribe(({ tour }, before) => {
  const { chapter, step, seen } = tour;
  if (tour !== before.tour) remember(KEY, JSON.stringify({ chapter, step, seen }));
});

/** Opens the tour at its position. */
export const openTour = (): void => change({ open: true, folded: false });

/** Opens the tour at the beginning of a chapter. */
export const openChapter = (id: ChapterId): void =>
  change({ open: true, folded: false, chapter: CHAPTER_IDS.indexOf(id), step: 0 });

/** Closes the tour; the position is kept. */
export const closeTour = (): void => change({ open: false });

/** Folds the tour to its heading, or shows all of it. */
export const foldTour = (folded: boolean): void => change({ folded });

/** Goes to a step; skipped steps are not marked as seen. */
export const goToStep = (chapter: number, step: number): void => change({ chapter, step });

/** Finishes a chapter and moves to the next unseen one, if any. */
export const endChapter = (ids: readonly string[]): void => {
  const { chapter, seen } = useSession.getState().tour;
  const id = ids[chapter];
  const now = id === undefined || seen.includes(id) ? seen : [...seen, id];
  const next = ids.findIndex((one, i) => i > chapter && !now.includes(one));
  const left = next >= 0 ? next : ids.findIndex((one) => !now.includes(one));
  change({ seen: now, chapter: left >= 0 ? left : ids.length, step: 0 });
};

/** From the beginning. */
export const restartTour = (): void => change({ open: true, ...START });
