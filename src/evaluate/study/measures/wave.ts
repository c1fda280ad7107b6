/**
 * Of arms with a pace, at the first question of each wave of rollouts: how long it took by all of them. A clock's, which
 * the same command does not repeat.
 */
export const WAVE = {
  id: 'waveSeconds',
  title: 'seconds of a wave by its rollouts',
  unit: 'share',
} as const;
