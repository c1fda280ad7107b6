import { remember, remembered } from '../../kit/page/remembered.ts';
import { useRollouts } from '../store/rollouts-store.ts';

/** User-set column widths by name; stored in this browser. */

const KEY = 'forage-column-widths';
/** Minimum width in CSS pixels, so that the divider can be grabbed again. */
export const LEAST_WIDTH = 44;
/** CSS pixels. */
export const MOST_WIDTH = 1200;

const read = (): Record<string, number> => {
  try {
    const parsed: unknown = JSON.parse(remembered(KEY) ?? '{}');
    if (typeof parsed !== 'object' || parsed === null) return {};
    return Object.fromEntries(
      Object.entries(parsed).filter(
        (entry): entry is [string, number] =>
          typeof entry[1] === 'number' && entry[1] >= LEAST_WIDTH && entry[1] <= MOST_WIDTH,
      ),
    );
  } catch {
    return {};
  }
};

useRollouts.setState({ widths: read() });

/** Sets a width within bounds; `keepWidths` stores it after dragging. */
export const setWidth = (column: string, width: number): void => {
  const fit = Math.round(Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, width)));
  useRollouts.setState(({ widths }) => ({ widths: { ...widths, [column]: fit } }));
};

/** Stores the widths after a change. */
export const keepWidths = (): void => {
  remember(KEY, JSON.stringify(useRollouts.getState().widths));
};
