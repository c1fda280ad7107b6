import { TRAJECTORIES, type TrajectorySet } from './shape.ts';

/** The records of a set, a line each: trajectories, then pairs. */
export const trajectoryRecords = ({ trajectories, pairs }: TrajectorySet): object[] => [
  ...trajectories.map((one) => ({ format: TRAJECTORIES, kind: 'trajectory', ...one })),
  ...pairs.map((pair) => ({ format: TRAJECTORIES, kind: 'pair', ...pair })),
];
