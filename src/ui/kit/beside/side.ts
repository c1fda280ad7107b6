import type { Rollout } from '../../../records/rollout.ts';

/** One of two compared rollouts. */
export interface BesideSide {
  rollout: Rollout;
  /** Which policy: "step 8 of my run". */
  name: string;
}
