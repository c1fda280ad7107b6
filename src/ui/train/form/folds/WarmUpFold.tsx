import { plural } from '../../../kit/words/format.ts';
import { WarmUpFields } from '../fields/WarmUpFields.tsx';
import { Fold } from './Fold.tsx';

/** Supervised updates before the first step. */
export const WarmUpFold = () => (
  <Fold
    name="Warm-up on trajectories"
    paths={['warmUp']}
    now={({ warmUp }) =>
      warmUp
        ? `${plural(warmUp.updates, 'update')} first${warmUp.from === 'own' ? ', on its own right rollouts' : ''}`
        : 'none'
    }
  >
    <WarmUpFields />
  </Fold>
);
