import { useLocation } from 'wouter';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import { askWith } from '../../ask/siblings/ask-with.ts';
import { useAnswer } from '../../kit/use-answer.ts';
import { useAsk } from '../../ask/store/ask-store.ts';
import { readAdapters } from '../../ask/store/actions.ts';

interface AskAtStepProps {
  run: RunRecord;
  step: number;
  /** Id of the question that is asked at once; null: it is chosen in Ask. */
  question: string | null;
}

/** The kept step that is nearest to another, the earlier of two. */
const nearestOf = (step: number, kept: readonly number[]): number | undefined =>
  kept.toSorted((a, b) => Math.abs(a - step) - Math.abs(b - step) || a - b)[0];

/** Leads to Ask with the adapter of a step, or of the nearest one whose adapter is kept, and says so. */
export const AskAtStep = ({ run, step, question }: AskAtStepProps) => {
  const [, go] = useLocation();
  const kept = useAsk(({ adapters }) => adapters?.find(({ id }) => id === run.id)?.steps);
  // Each snapshot adds one.
  useAnswer(`${run.id} ${run.checkpointStep}`, readAdapters);
  // Before the first step there is no adapter, and before the first snapshot none is kept.
  const nearest = step === 0 || !kept ? undefined : nearestOf(step, kept);
  if (nearest === undefined) return null;
  return (
    <button
      type="button"
      className="link"
      onClick={() =>
        void askWith(
          run,
          { policy: { kind: 'run', run: run.id, step: nearest }, beside: null },
          question,
          go,
        )
      }
    >
      {question === null ? 'Ask' : 'Ask it now'} with the adapter of step {nearest}
      {nearest !== step && ', the nearest that is kept'}
    </button>
  );
};
