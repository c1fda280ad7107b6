/**
 * Where, in the storage of this tab, the table leaves its order for the reader when a rollout is opened: JSON of the
 * file's id and the rollouts' ids.
 */
export const ORDER_KEY = 'forage-rollout-order';
