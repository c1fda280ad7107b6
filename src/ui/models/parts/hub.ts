import { HUB } from '../../../lab/models/checkpoints/plan/source.ts';
import { remember, remembered } from '../../kit/page/remembered.ts';

/** The hub that repositories are looked up at; remembered in this browser. */

const KEY = 'forage.hub';

/** The hub of the last visit; Hugging Face’s where there was none. */
export const storedHub = (): string => remembered(KEY) ?? HUB;

/** Remembers it as it is typed; whether it answers is seen at the next look. */
export const keepHub = (hub: string): void => {
  remember(KEY, hub);
};
