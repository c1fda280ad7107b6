import type { ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';

/** One rollout of a group, for the tree. */
export interface Sibling {
  rollout: ImportedRollout;
  /** Its name: "Rollout 3". */
  name: string;
  /** Null without gold, or if the answer cannot be read. */
  em: number | null;
  /** Of a fork: "forked at event 5: …". */
  fork?: string;
}
