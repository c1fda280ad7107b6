import { useMemo } from 'react';
import { Link } from 'wouter';
import { stieCounts } from '../../../agent/stie-counts.ts';
import type { Question } from '../../../records/records.ts';
import { outsideAnswer } from '../../../records/outside-answer.ts';
import type { Rollout } from '../../../records/rollout.ts';
import {
  formatCount,
  formatNumber,
  formatSeconds,
  formatShare,
  formatSigned,
} from '../../kit/words/format.ts';
import { Fact } from '../../kit/Fact.tsx';
import { StieWords } from '../../kit/words/explain/StieWords.tsx';
import { interruptionOf, measuresOf } from './measures.ts';
import { Guarded } from '../../kit/page/Guarded.tsx';
import { onDemand } from '../../kit/page/on-demand.tsx';

const Outside = onDemand(async () => ({ default: (await import('./Explained.tsx')).Outside }));
const InWords = onDemand(async () => ({ default: (await import('./Explained.tsx')).InWords }));

/** "format 0.1 × 1, accuracy 0.8 × 0.7": the clauses whose sum is the reward. */
const rewardTerms = ({ rewards }: Rollout): string =>
  rewards
    .map(
      ({ clause, value, weight }) => `${clause} ${formatNumber(weight)} × ${formatNumber(value)}`,
    )
    .join(', ');

/** Prose in place of an answer: shown, marked, and with what helps. */
const OutsideNote = ({ prose }: { prose: string }) => (
  <p className="outside" data-testid="outside">
    <span className="badge bad">outside the tags</span> <span className="prose">{prose}</span>
    <span className="fine">
      The model wrote this as prose, not in the format, so it does not count as an answer. Teach it
      the format first: <Link href="/train">train with a cold start</Link>.
    </span>
  </p>
);

/** Right or wrong, by exact match with the reference answer. */
const Outcome = ({ rollout, gold }: { rollout: Rollout; gold: Question | null }) => {
  const interruption = interruptionOf(rollout);
  if (interruption) return <span className="badge">⊘ {interruption}, not scored</span>;
  if (gold === null) return <span className="badge">no reference answer</span>;
  const right = rollout.metrics?.em === 1;
  return (
    <span
      className={right ? 'badge good' : 'badge bad'}
      title="By exact match with the reference answer"
    >
      {right ? '✓ right' : '✗ wrong'}
    </span>
  );
};

interface VerdictLineProps {
  rollout: Rollout;
  gold: Question | null;
  /** All scores and costs are shown. */
  more: boolean;
}

/** All scores and costs: not in the document before they are wanted, since sixteen rollouts may end in one frame. */
const Rest = ({ rollout, gold }: Omit<VerdictLineProps, 'more'>) => {
  const { metrics } = rollout;
  const measures = measuresOf(rollout);
  const stie = useMemo(() => stieCounts(rollout.events), [rollout.events]);
  const interruption = interruptionOf(rollout);
  // A server returns text in pieces, not tokens; they are counted as pieces.
  const pieces = rollout.segments.some((segment) => segment.tokens);
  const outside = useMemo(() => outsideAnswer(rollout), [rollout]);
  return (
    <>
      <div className="facts">
        {gold && metrics && !interruption ? (
          <>
            <Fact name="EM" value={formatNumber(metrics.em)} />
            <Fact name="F1" value={formatShare(metrics.f1)} />
            <Fact
              name="recall"
              term="recall"
              value={formatShare(gold.supporting.length > 0 ? metrics.recall : null)}
              title={
                gold.supporting.length > 0
                  ? 'Share of the supporting titles that were retrieved'
                  : 'The question names no supporting titles'
              }
            />
          </>
        ) : null}
        {gold && outside !== null && !interruption ? (
          <Guarded name="The scores outside the tags">
            <Outside rollout={rollout} />
          </Guarded>
        ) : null}
        {metrics?.rouge_l === undefined || interruption ? null : (
          <>
            <Fact
              name="ROUGE-L"
              value={formatShare(metrics.rouge_l)}
              title="Overlap of the long answer with the gold summary"
            />
            <Fact
              name="supported"
              term="supported"
              value={formatShare(metrics.supported)}
              title="Share of the answer’s statements that a retrieved passage supports"
            />
          </>
        )}
        {rollout.judge ? (
          <Fact
            name="judge"
            term="judge"
            value={
              rollout.judge.verdict === null
                ? 'unreadable'
                : rollout.judge.verdict
                  ? 'right'
                  : 'wrong'
            }
            title={`LLM judge: verdict of ${rollout.judge.by} on the answer`}
          />
        ) : null}
        <Fact
          name={pieces ? 'pieces' : 'tokens'}
          value={formatCount(measures.tokens)}
          title={
            pieces
              ? 'Pieces of text that the model wrote; its server does not report tokens'
              : 'Tokens that the model wrote'
          }
        />
        {rollout.latent ? (
          <Fact
            name="latent"
            value={`${formatCount(rollout.latent.tokens)}, a ${rollout.latent.gate.toFixed(4)}`}
            title="Tokens read as a mixture with the expected embedding (HRPO), and their mean gate a"
          />
        ) : null}
        {metrics && !interruption ? (
          <Fact name="format" term="format" value={metrics.formatValid ? '✓ valid' : '✗ broken'} />
        ) : null}
        <Fact
          name="reward"
          term="reward"
          value={rollout.reward === null ? 'not computed' : formatNumber(rollout.reward)}
          title={
            rollout.reward === null ? 'Rewards are computed only in training' : rewardTerms(rollout)
          }
        />
        {/* Only training computes these: a question on Ask has no reward. */}
        {rollout.reward === null ? null : rollout.advantage === null ? (
          <Fact
            name="advantage"
            term="advantage"
            value="left out"
            title="The step sampled this group but did not train on it: its rewards did not vary"
          />
        ) : (
          <Fact
            name="advantage"
            term="advantage"
            value={formatSigned(rollout.advantage)}
            title={`Reward minus ${formatNumber(rollout.baseline)}, the mean of the group`}
          />
        )}
      </div>
      {stie ? <StieWords counts={stie} /> : null}
    </>
  );
};

/** The result of a rollout in one line: its answer, right or wrong, searches, time. The rest is behind "more". */
export const VerdictLine = ({ rollout, gold, more }: VerdictLineProps) => {
  const { answer } = rollout;
  const measures = measuresOf(rollout);
  const interruption = interruptionOf(rollout);
  const outside = useMemo(() => outsideAnswer(rollout), [rollout]);
  return (
    <div className="verdict" data-testid="verdict">
      <div className="verdict-answer">
        <Outcome rollout={rollout} gold={gold} />
        <b className="answer-text">{answer ?? 'no answer'}</b>
        {gold ? <span className="fine">gold: {gold.answers.join(' / ')}</span> : null}
        <Fact name="searches" value={formatCount(measures.searches)} />
        <Fact name="time" value={formatSeconds(measures.seconds)} />
      </div>
      {outside === null ? null : <OutsideNote prose={outside} />}
      {gold && !interruption ? (
        <Guarded name="The verdict as text">
          <InWords rollout={rollout} />
        </Guarded>
      ) : null}
      {more ? <Rest rollout={rollout} gold={gold} /> : null}
    </div>
  );
};
