import { useMemo } from 'react';
import { hopMap } from '../../../evaluate/rollouts/hops.ts';
import { outsideScores } from '../../../agent/answers/outside.ts';
import { answerText } from '../../../records/outside-answer.ts';
import { verdictWords } from '../../../evaluate/rollouts/verdict-words.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { Terms } from '../../kit/words/explain/Term.tsx';
import { Fact } from '../../kit/Fact.tsx';
import { formatNumber, formatShare } from '../../kit/words/format.ts';
import { HopPicture } from '../../kit/hops/HopPicture.tsx';

/** Why a rollout ended as it did; a separate chunk, because it is only needed after one has ended. */

/** Why an answer is right or wrong, in one sentence. */
export const InWords = ({ rollout }: { rollout: Rollout }) => {
  const words = useMemo(() => verdictWords(rollout), [rollout]);
  return words === null ? null : (
    <p className="verdict-words" data-testid="verdict-words">
      <Terms>{words}</Terms>
    </p>
  );
};

/** Scores of the text outside the tags; nothing for a question without a gold answer. */
export const Outside = ({ rollout }: { rollout: Rollout }) => {
  const scores = useMemo(() => outsideScores(rollout), [rollout]);
  return scores === null ? null : (
    <>
      <Fact
        name="EM outside the tags"
        value={formatNumber(scores.em)}
        title="Of what the model wrote outside the tags; never rewarded"
      />
      <Fact name="F1 outside the tags" value={formatShare(scores.f1)} />
    </>
  );
};

interface HopsProps {
  rollout: Rollout;
  /** Number of the rollout, if there are several. */
  name: string | null;
  /** Goes to an event. */
  open: (event: number) => void;
}

/** Nothing for a question without a gold chain. */
export const Hops = ({ rollout, name, open }: HopsProps) => {
  const map = useMemo(() => hopMap(rollout), [rollout]);
  if (map.kind === 'none') return null;
  const { metrics, question } = rollout;
  return (
    <HopPicture
      map={map}
      of={name}
      answer={{
        text: answerText(rollout),
        gold: question.answers.join(' / '),
        right: metrics ? metrics.em === 1 : null,
      }}
      go={(segment) => {
        const at = rollout.events.findIndex((event) => event.segment === segment);
        if (at >= 0) open(at);
      }}
    />
  );
};
