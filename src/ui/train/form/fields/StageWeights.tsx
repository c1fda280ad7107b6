import { NumberInput } from '@mantine/core';
import { weightsOf } from '../../store/reward-weights.ts';

interface StageWeightsProps {
  reward: string;
  /** Those that the stage sets; a clause that is absent has the reward’s own factor. */
  weights: Readonly<Record<string, number | string>>;
  error: string | undefined;
  change: (weights: Record<string, number | string>) => void;
}

/** The factors λ of a reward's clauses, where it lets them be chosen. */
export const StageWeights = ({ reward, weights, error, change }: StageWeightsProps) => {
  const own = weightsOf(reward);
  if (!own) return null;
  const now = { ...own, ...weights };
  const words = Object.entries(now).map(([clause, weight]) => `${clause} ${weight}`);
  return (
    <details className="weights" {...(error !== undefined && { open: true })}>
      <summary>Weights: {words.join(', ')}</summary>
      <div className="stage-row">
        {Object.entries(now).map(([clause, weight]) => (
          <NumberInput
            key={clause}
            size="xs"
            className="narrow"
            label={clause}
            min={0}
            max={1}
            step={0.1}
            value={weight}
            onChange={(value) => change({ ...now, [clause]: value })}
          />
        ))}
      </div>
      {error === undefined ? null : <p className="field-error">{error}</p>}
    </details>
  );
};
