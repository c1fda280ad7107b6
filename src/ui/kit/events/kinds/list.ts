import type { CardDefinition, EventKind } from '../parts/definition.ts';
import { answer } from './answer.tsx';
import { aside } from './aside.tsx';
import { background } from './background.tsx';
import { block } from './block.tsx';
import { candidate } from './candidate.tsx';
import { error } from './error.tsx';
import { retrieve } from './retrieve.tsx';
import { route } from './route.tsx';
import { search } from './search.tsx';
import { stop } from './stop.tsx';
import { summarize } from './summarize.tsx';
import { think } from './think.tsx';
import { verdict } from './verdict.tsx';

/** The card of every kind of event. */
export const CARDS: { [K in EventKind]: CardDefinition<K> } = {
  background,
  think,
  block,
  aside,
  search,
  route,
  retrieve,
  summarize,
  candidate,
  verdict,
  answer,
  stop,
  error,
};
