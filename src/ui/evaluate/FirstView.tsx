import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { DescribedList } from '../kit/page/DescribedList.tsx';
import { Term } from '../kit/words/explain/Term.tsx';
import { nameOfSpec } from './chooser/names.ts';
import { MeasuredSystems } from './MeasuredSystems.tsx';
import { startEvaluation } from './store/evaluate-actions.ts';
import {
  formatEvaluateAddress,
  NEW_EVALUATION,
  VIEW_NAMES,
  VIEWS,
  type EvaluateView,
} from './store/evaluate-address.ts';
import { FIRST_SPEC, useEvaluateDraft } from './store/evaluate-draft.ts';
import { runningEvaluation, takenNames, useEvaluate } from './store/evaluate-store.ts';

/** One click starts a small evaluation with real rollouts. */
const FirstButton = () => {
  const [, go] = useLocation();
  const [starting, setStarting] = useState(false);
  const running = useEvaluate((state) => runningEvaluation(state) !== undefined);
  const device = useEvaluateDraft((state) => state.device);
  const start = async () => {
    setStarting(true);
    const name = nameOfSpec(FIRST_SPEC, new Date().toISOString(), takenNames());
    const id = await startEvaluation(FIRST_SPEC, name, device);
    setStarting(false);
    if (id !== null) go(formatEvaluateAddress(id));
  };
  return (
    <Button loading={starting} disabled={running} onClick={() => void start()}>
      Three systems on 20 questions
    </Button>
  );
};

/** What each tab of an evaluation shows. */
const ANSWERS: Record<EvaluateView, string> = {
  table: 'accuracy and cost of each system, with intervals, and which differences are significant',
  cost: 'which systems are beaten in both quality and cost',
  questions: 'which questions each got right; a cell opens the rollouts side by side',
  hops: 'at which hop each system lost the chain',
  systems: 'ablations of each system, next to the effects its paper expects',
  compare: 'two evaluations, question by question',
};

/** Shown instead of an empty list; nothing if loading failed, because the problem is shown above. */
export const FirstView = () => {
  const status = useEvaluate((state) => state.status);
  if (status === 'waiting') return <p role="status">Reading the evaluations …</p>;
  if (status === 'failed') return null;
  return (
    <section className="empty-place">
      <div>
        <p>
          Compare systems on the same questions, with the same model, search and budget: a table
          with intervals, charts that show why, and every rollout one click away. Nothing has been
          evaluated in this browser yet. Start with plain search, naive <Term id="rag">RAG</Term>{' '}
          and no retrieval, or choose yourself.
        </p>
        <div className="editor-actions">
          <FirstButton />
          <Link href={NEW_EVALUATION}>Choose systems and questions</Link>
        </div>
        <DescribedList
          title="What an evaluation shows"
          entries={VIEWS.map((view) => [VIEW_NAMES[view], ANSWERS[view]])}
        />
      </div>
      <MeasuredSystems />
    </section>
  );
};
