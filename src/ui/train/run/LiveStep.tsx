import { useMemo } from 'react';
import type { LiveRollout } from '../../../lab/contract/training.ts';
import { answerOf } from '../../../records/outside-answer.ts';
import { mean } from '../../../base/statistics.ts';
import type { RunRecord } from '../../../lab/contract/records/runs.ts';
import { formatNumber, formatShare, plural } from '../../kit/words/format.ts';
import { useTrain } from '../store/train-store.ts';
import { beforeRollouts } from './run-words.ts';

/** Rollouts of one question, in the order in which they ended. */
interface Group {
  id: string;
  question: string;
  gold: string;
  rollouts: LiveRollout[];
}

/** By question, those first whose first rollout ended first. */
const groupsOf = (rollouts: readonly LiveRollout[]): Group[] => {
  const groups = new Map<string, Group>();
  for (const rollout of rollouts) {
    const { groupId, question, gold } = rollout;
    const group = groups.get(groupId) ?? { id: groupId, question, gold, rollouts: [] };
    group.rollouts.push(rollout);
    groups.set(groupId, group);
  }
  return [...groups.values()];
};

const signOf = ({ em }: LiveRollout): string => (em === null ? '–' : em === 1 ? '✓' : '✗');

/** A rollout: its answer, whether it is right, and what it earned; a held-out question earns nothing. */
const Chip = ({ rollout }: { rollout: LiveRollout }) => {
  const { reward, em, searches, tokens } = rollout;
  const answer = answerOf(rollout);
  return (
    <li
      className={em === 1 ? 'live-chip good' : 'live-chip'}
      title={`${answer}: ${plural(searches ?? 0, 'search', 'searches')}, ${plural(tokens ?? 0, 'token')}`}
    >
      <span aria-label={em === 1 ? 'right' : 'wrong'}>{signOf(rollout)}</span>{' '}
      <span className="live-answer">{answer}</span>{' '}
      {reward === null ? null : <b>{formatNumber(reward)}</b>}
    </li>
  );
};

/** What ended so far, in one line. */
const summaryOf = (rollouts: readonly LiveRollout[]): string => {
  const rewards = rollouts.flatMap(({ reward }) => reward ?? []);
  const em = rollouts.flatMap((rollout) => rollout.em ?? []);
  return [
    `${plural(rollouts.length, rollouts[0]?.of === 'held-out' ? 'question' : 'rollout')} done`,
    ...(rewards.length > 0 ? [`mean reward ${formatNumber(mean(rewards))}`] : []),
    ...(em.length > 0 ? [`EM ${formatShare(mean(em))} so far`] : []),
  ].join(', ');
};

/** Which rollouts are under way. */
const nameOf = ({ of, step }: LiveRollout): string => {
  if (of === 'before') return 'Before the first step';
  if (of === 'step') return `Step ${step} under way`;
  return step === 0
    ? 'Held-out questions, before the first step'
    : `Held-out questions, after step ${step}`;
};

/** Questions that are shown, the latest: hundreds would hold the page up with every rollout. */
const MOST_GROUPS = 40;

/**
 * The rollouts of the step under way as they end, with what each earned. Open where there is nothing else to
 * see yet; later it is a line that opens.
 */
export const LiveStep = ({ run, first }: { run: RunRecord; first: boolean }) => {
  const rollouts = useTrain((state) => state.live[run.id]);
  const phase = useTrain((state) => state.progress[run.id]?.phase);
  const groups = useMemo(() => groupsOf(rollouts ?? []), [rollouts]);
  const [one] = rollouts ?? [];
  if (run.status !== 'running') return null;
  if (!rollouts || !one)
    return first ? (
      <section className="live-step" aria-label="Under way">
        <p className="fine">
          {beforeRollouts(phase)}. Rollouts appear here as they end, with answer and reward.
        </p>
      </section>
    ) : null;
  const name = nameOf(one);
  return (
    <details className="live-step" open={first} data-testid="live-step">
      <summary>
        <b>{name}</b> <span className="fine">{summaryOf(rollouts)}</span>
      </summary>
      {one.of === 'before' ? <p className="fine">{beforeRollouts(phase)}.</p> : null}
      <ul className="live-groups" aria-label={name}>
        {groups.slice(-MOST_GROUPS).map((group) => (
          <li key={group.id}>
            <p className="ellipsis" title={group.question}>
              {group.question} <span className="fine">gold {group.gold}</span>
            </p>
            <ul className="live-chips">
              {group.rollouts.map((rollout) => (
                <Chip key={rollout.id} rollout={rollout} />
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </details>
  );
};
