/**
 * Session-storage key under which the table stores its order for the reader: JSON of the file's id and
 * the rollouts' ids.
 */
export const ORDER_KEY = 'forage-rollout-order';
