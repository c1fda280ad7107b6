import { createContext } from 'react';

/** Letters that go to a place after `g`, from the frame, for pages in which `g` alone means something. */
export const PlaceLetters = createContext<ReadonlySet<string>>(new Set());
