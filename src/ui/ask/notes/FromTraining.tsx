import { Link } from 'wouter';
import { isHeldOutGroup } from '../../../records/training.ts';
import { formatTrainAddress } from '../../train/store/train-address.ts';
import { setLinkedStep } from '../store/training-step.ts';
import { useAsk } from '../store/ask-store.ts';
import { pathOf } from '../siblings/record-place.ts';
import type { ColourMode } from '../../kit/tokens/paint.ts';

/** Notes and links for rollouts that come from a training step or a file. */

/** The largest |advantage| of the rollouts on the screen; null where none has one. */
const useLargest = (): number | null =>
  useAsk(({ table }) => {
    const sizes = table.order.flatMap((id) => {
      const advantage = table.byId[id]?.advantage ?? null;
      return advantage === null ? [] : [Math.abs(advantage)];
    });
    return sizes.length === 0 ? null : Math.max(...sizes);
  });

/** What the strips are coloured by: the user's choice, if the rollouts have advantages. */
export const useColourBy = (): ColourMode['by'] => {
  const known = useLargest() !== null;
  const chosenColour = useAsk((state) => state.colourBy);
  return known ? chosenColour : 'writer';
};

/** For the strips: null if they are coloured by writer. */
export const useLargestAdvantage = (): number | null => {
  const largest = useLargest();
  return useColourBy() === 'advantage' ? largest : null;
};

/** Chooses the token colour; empty if no rollout has an advantage. */
export const ColourSwitch = () => {
  const known = useLargest() !== null;
  const by = useAsk((state) => state.colourBy);
  if (!known) return null;
  return (
    <button
      type="button"
      className="link"
      onClick={() => useAsk.setState({ colourBy: by === 'writer' ? 'advantage' : 'writer' })}
    >
      Colour by {by === 'writer' ? 'advantage' : 'writer'}
    </button>
  );
};

/** The origin of the rollouts, and a link back. */
export const SourceNote = () => {
  const source = useAsk((state) => state.source);
  if (!source) return null;
  if ('place' in source)
    return (
      <p className="source-note">
        Rollout of “{source.name}”. <Link href={pathOf(source.place)}>Back to the rollout</Link>
      </p>
    );
  if (isHeldOutGroup(source.group))
    return (
      <p className="source-note">
        Held-out question of “{source.name}”,{' '}
        {source.step === 0 ? 'before its first step' : `after step ${source.step}`}.{' '}
        <Link href={formatTrainAddress({ run: source.runId, step: null })}>Back to the run</Link>
      </p>
    );
  return (
    <p className="source-note">
      Training rollouts: “{source.name}”, step {source.step}, best reward first.{' '}
      <Link href={formatTrainAddress({ run: source.runId, step: source.step })}>
        Back to the step
      </Link>
    </p>
  );
};

/** Says that the linked rollouts are loading, or why they are not here. */
export const LinkedStepNote = () => {
  const { reading, problem } = useAsk(({ linkedStep }) => linkedStep);
  const record = useAsk(({ address: { of } }) => of !== null && 'file' in of);
  if (!reading && problem === null) return null;
  return (
    <div className="note" role="status">
      {reading ? (
        `Loading the ${record ? 'linked rollout' : 'rollouts of the step'} …`
      ) : (
        <>
          {problem}{' '}
          <Link href={record ? '/rollouts' : '/runs'}>
            See the {record ? 'rollouts' : 'runs'} that are here
          </Link>{' '}
          <button type="button" className="link" onClick={() => setLinkedStep(reading)}>
            Dismiss
          </button>
        </>
      )}
    </div>
  );
};
