/**
 * Trajectories that are kept to be learned from, `forage.trajectories/1`: JSON lines, each a trajectory or a pair of
 * two of them.
 */

export const TRAJECTORIES = 'forage.trajectories/1';

/** A run of text by one writer, in tokens of the policy, as text, or both. */
export interface StoredSegment {
  by: 'prompt' | 'policy' | 'environment';
  /** Ids of the vocabulary that they were written with. Beside a text they must spell it. */
  ids?: readonly number[] | undefined;
  /** Tags of the protocol in it are tags; it is cut into tokens when it is learned from. */
  text?: string | undefined;
  /** Whether its tokens are learned; absent: where the policy wrote them. */
  trained?: boolean | undefined;
}

export interface StoredTrajectory {
  id: string;
  /** What it shares with others: the question. Pairs are of one group. */
  group: string;
  /** What it counts in supervised fine-tuning, 0 or more. */
  weight: number;
  segments: readonly StoredSegment[];
}

/** Ids of two trajectories of a group, the first preferred. */
export interface StoredPair {
  chosen: string;
  rejected: string;
}

export interface TrajectorySet {
  trajectories: readonly StoredTrajectory[];
  pairs: readonly StoredPair[];
}

/** Whether a segment's tokens are learned. */
export const isTrained = ({ by, trained = by === 'policy' }: StoredSegment): boolean => trained;
