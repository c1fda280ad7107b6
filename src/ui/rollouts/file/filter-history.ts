import { remember, remembered } from '../../kit/page/remembered.ts';

/** Filters that were asked before, the latest first; kept in this browser. */

const KEY = 'forage-filters';
const MOST = 30;

/** The latest first, each once; empty where there is none that can be read. */
export const pastFilters = (): string[] => {
  try {
    const parsed: unknown = JSON.parse(remembered(KEY) ?? '[]');
    return Array.isArray(parsed) ? parsed.filter((one) => typeof one === 'string') : [];
  } catch {
    // Not allowed, or not ours: then there is no history.
    return [];
  }
};

/** Puts a filter in front of the others; those beyond thirty are forgotten. */
export const rememberFilter = (filter: string): void => {
  const text = filter.trim();
  if (text === '') return;
  const list = [text, ...pastFilters().filter((one) => one !== text)].slice(0, MOST);
  remember(KEY, JSON.stringify(list));
};
