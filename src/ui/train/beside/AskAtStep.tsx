import { useLocation } from 'wouter';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import { readAdapters, useAdapters } from '../../ask/policies/adapters-store.ts';
import { askWith } from '../../ask/siblings/ask-with.ts';
import { useAnswer } from '../../kit/use-answer.ts';

interface AskAtStepProps {
  run: RunRecord;
  step: number;
  /** Id of the question that is asked at once; null: it is chosen in Ask. */
  question: string | null;
}

const listWords = (steps: readonly number[]): string =>
  steps.toSorted((a, b) => a - b).join(' and ');

/** Leads to Ask with the adapter of a step, or says that it is not kept and which are. */
export const AskAtStep = ({ run, step, question }: AskAtStepProps) => {
  const [, go] = useLocation();
  const kept = useAdapters(({ runs }) => runs?.find(({ id }) => id === run.id)?.steps);
  // A snapshot that is added takes the place of an earlier one.
  useAnswer(`${run.id} ${run.checkpointStep}`, readAdapters);
  // Before the first step there is no adapter, and before the first snapshot none is kept.
  if (step === 0 || !kept) return null;
  if (!kept.includes(step))
    return (
      <span className="fine">
        Its adapter is not kept to ask with; of this run those of step {listWords(kept)} are.
      </span>
    );
  return (
    <button
      type="button"
      className="link"
      onClick={() =>
        void askWith(
          run,
          { policy: { kind: 'run', run: run.id, step }, beside: null },
          question,
          go,
        )
      }
    >
      {question === null ? 'Ask' : 'Ask it now'} with the adapter of step {step}
    </button>
  );
};
