import { remember, remembered } from '../../kit/page/remembered.ts';

/** Earlier filters, newest first; stored in this browser. */

const KEY = 'forage-filters';
const MOST = 30;

/** Newest first, distinct; empty without valid storage. */
export const pastFilters = (): string[] => {
  try {
    const parsed: unknown = JSON.parse(remembered(KEY) ?? '[]');
    return Array.isArray(parsed) ? parsed.filter((one) => typeof one === 'string') : [];
  } catch {
    // Blocked or invalid: no history.
    return [];
  }
};

/** Adds a filter at the front; at most thirty are kept. */
export const rememberFilter = (filter: string): void => {
  const text = filter.trim();
  if (text === '') return;
  const list = [text, ...pastFilters().filter((one) => one !== text)].slice(0, MOST);
  remember(KEY, JSON.stringify(list));
};
