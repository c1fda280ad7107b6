import { Button } from '@mantine/core';
import type { PolicyInfo } from '../../policy/policy.ts';
import { startAgreement, stopTrial, useTrials } from './store/trials-store.ts';
import { Terms } from '../kit/words/explain/Term.tsx';
import { TimeLeft } from '../kit/words/TimeLeft.tsx';

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Agreement of quantized weights and KV cache with the checkpoint, measured on demand. */
export const AgreementLine = ({ policy }: { policy: PolicyInfo }) => {
  const trial = useTrials((state) => state.agreement);
  // Only these types are lossy.
  const packed =
    policy.onDevice === 'int8' ||
    policy.onDevice === 'int4' ||
    policy.onDevice === 'mixed' ||
    policy.keys === 'f16';
  if (!packed) return null;
  if (trial.status === 'running')
    return (
      <p className="trial-line" role="status">
        Comparing with the checkpoint: layer {trial.progress.done}
        {trial.progress.layers > 0 ? ` of ${trial.progress.layers}` : ''}
        {trial.progress.layers > 0 ? (
          <TimeLeft of={policy.id} share={trial.progress.done / trial.progress.layers} />
        ) : null}{' '}
        …
        <Button size="compact-xs" variant="default" onClick={() => stopTrial('agreement')}>
          Stop
        </Button>
      </p>
    );
  // Another policy or type may have been loaded since.
  const known =
    trial.status === 'done' &&
    trial.policy.id === policy.id &&
    trial.policy.revision === policy.revision &&
    trial.policy.onDevice === policy.onDevice &&
    trial.policy.keys === policy.keys;
  return (
    <p className="trial-line" role="status">
      {known ? (
        <span>
          agreement with the checkpoint: <Terms>KL</Terms> <b>{trial.result.kl.toPrecision(2)}</b>{' '}
          nats, same top token for <b>{percent(trial.result.top1)}</b>, {trial.result.tokens} tokens
        </span>
      ) : null}
      {trial.status === 'failed' ? <span className="tone-bad">⚠ {trial.message}</span> : null}
      <Button size="compact-xs" variant="default" onClick={() => void startAgreement()}>
        {known ? 'Measure again' : 'Measure agreement with the checkpoint'}
      </Button>
    </p>
  );
};
