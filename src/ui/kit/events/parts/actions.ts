import { createContext, type ReactNode } from 'react';
import type { Rollout } from '../../../../records/rollout.ts';

/** Actions of a page for an event, below its opened card; null for none. */
export const EventActions = createContext<((rollout: Rollout, event: number) => ReactNode) | null>(
  null,
);
