import { HUB } from '../../../lab/models/checkpoints/plan/source.ts';
import { remember, remembered } from '../../kit/page/remembered.ts';

/** The hub address; stored in this browser. */

const KEY = 'forage.hub';

/** The stored hub; otherwise Hugging Face. */
export const storedHub = (): string => remembered(KEY) ?? HUB;

/** Stores it as typed; it is checked by the next preview. */
export const keepHub = (hub: string): void => {
  remember(KEY, hub);
};
