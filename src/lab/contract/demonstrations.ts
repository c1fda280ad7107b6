import type { RunFile } from '../../formats/rollouts/run.ts';
import type { TallySummary } from '../../learn/demonstrations/tally.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { PolicyRef, Setup } from '../../records/setup.ts';

/** Making demonstrations for a cold start in the lab worker. */

/** `gold` and `teacher`: of the setup's training questions; `rollouts`: of files from other systems. */
export type DemonstrationsFrom =
  | { kind: 'gold' }
  | { kind: 'rollouts'; name: string; files: readonly RunFile[] }
  | { kind: 'teacher'; policy: PolicyRef };

export interface DemonstrationsProgress {
  done: number;
  /** Null where it is not known before the end. */
  total: number | null;
  kept: number;
}

export type DemonstrationsOutcome =
  /** `file`: the demonstrations as `forage.rollout/1`, one per line; null where none was kept. */
  { status: 'made'; file: Blob | null; summary: TallySummary } | { status: 'cancelled' };

export interface DemonstrationsApi {
  /**
   * Makes them for the loop of these settings and in the tokens of the setup's model; an earlier call ends.
   * @param how `maxTokens`: most tokens of one demonstration; `most`: the call ends when this many are kept
   * @throws Error as text, where the recipe's loop leaves nothing to write, or sources or files cannot be opened
   */
  make(
    from: DemonstrationsFrom,
    how: { settings: TrainSettings; setup: Setup; maxTokens: number; most: number },
    onProgress: (progress: DemonstrationsProgress) => void,
  ): Promise<DemonstrationsOutcome>;
  /** Ends the call under way; nothing of it is kept. */
  cancel(): Promise<void>;
}
