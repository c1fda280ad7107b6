import { factsOf } from '../../runs/checkpoints/facts.ts';
import { formatBytes, formatParameters } from '../lib/format.ts';

/**
 * What a checkpoint of this shape needs in memory: its parameters, and the bytes of the weights alone
 * as the engine computes with them.
 */
export const FitSummary = ({ config }: { config: Readonly<Record<string, unknown>> }) => {
  const { parameters } = factsOf(config);
  if (parameters === null)
    return <p className="fine">config.json does not tell the shape, so its size is not known.</p>;
  return (
    <p className="fine" data-testid="fit">
      <b>{formatParameters(parameters)}</b> parameters by its shape · weights in memory{' '}
      <b>{formatBytes(parameters * 4)}</b> as f32, <b>{formatBytes(parameters * 2)}</b> as f16
    </p>
  );
};
