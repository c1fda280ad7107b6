import { createContext } from 'react';

/** Letters after `g` that open a page, for pages where `g` alone has a meaning. */
export const PlaceLetters = createContext<ReadonlySet<string>>(new Set());
