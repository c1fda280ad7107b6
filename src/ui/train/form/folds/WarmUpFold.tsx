import { plural } from '../../../kit/words/format.ts';
import type { WarmUpSettings } from '../../../../recipes/parts/training.ts';
import { WarmUpFields } from '../fields/WarmUpFields.tsx';
import { Fold } from './Fold.tsx';

/** "1 epoch", "at most 40 updates" */
const lengthWords = ({ updates, epochs, stopAt = null }: WarmUpSettings): string => {
  const lengths = [
    ...(epochs === undefined ? [] : [plural(epochs, 'epoch')]),
    ...(updates === undefined ? [] : [plural(updates, 'update')]),
  ];
  return `${stopAt === null && lengths.length === 1 ? '' : 'at most '}${lengths.join(' or ')}`;
};

/** The cold start before the first step. */
export const WarmUpFold = () => (
  <Fold
    name="Cold start, then RL"
    paths={['warmUp']}
    now={({ warmUp }) =>
      warmUp
        ? `${lengthWords(warmUp)} first${warmUp.from === 'own' ? ', on its own right rollouts' : ''}`
        : 'none'
    }
  >
    <WarmUpFields />
  </Fold>
);
