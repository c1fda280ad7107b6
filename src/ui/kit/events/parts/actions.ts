import { createContext, type ReactNode } from 'react';
import type { Rollout } from '../../../../records/rollout.ts';

/** What a place offers to do with an event, below its opened card; null where it offers nothing. */
export const EventActions = createContext<((rollout: Rollout, event: number) => ReactNode) | null>(
  null,
);
