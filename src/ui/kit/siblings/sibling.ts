import type { ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';

/** One rollout of a group, as a tree of siblings shows it. */
export interface Sibling {
  rollout: ImportedRollout;
  /** Its name: "Rollout 3". */
  name: string;
  /** Null without gold answers, and where the answer cannot be read. */
  em: number | null;
  /** Of one that left another: "forked at event 5: …". */
  fork?: string;
}
