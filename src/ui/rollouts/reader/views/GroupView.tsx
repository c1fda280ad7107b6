import { useMemo } from 'react';
import { isOwnRollout, type ImportedRollout } from '../../../../formats/rollouts/shape/imported.ts';
import { answerOf } from '../../../../records/outside-answer.ts';
import type { TreeStep } from '../../../../evaluate/rollouts/siblings/tree.ts';
import type { Sibling } from '../../../kit/siblings/sibling.ts';
import { SiblingTree } from '../../../kit/siblings/SiblingTree.tsx';
import type { AlignedGroup, CreditChain } from '../../../../evaluate/rollouts/align.ts';
import type { Neighbour, Reading } from '../../../../lab/contract/rollouts.ts';
import type { RolloutPlace } from '../../../../lab/contract/records/rollout-files.ts';
import { formatCount, formatNumber, formatSigned } from '../../../kit/words/format.ts';
import type { RolloutName } from '../store/address.ts';
import { rollouts } from '../store/api.ts';
import { useAnswer } from '../../../kit/use-answer.ts';
import { pageOf, useMore } from '../../../kit/page/use-more.tsx';
import { MarkedText } from '../parts/MarkedText.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Aligned } from './Aligned.tsx';
import { settingsFor, settingsSource, settingsWords } from '../store/settings.ts';

/** The group of a rollout: its siblings as a tree, in a table of credit, and round by round. */

/** Siblings whose texts are read, for the tree and the columns; the table of credit has all of them. */
const MOST_BESIDE = 16;

interface ChainRowProps {
  chain: CreditChain;
  /** Number of the sibling in its group, from 1. */
  number: number;
  sibling: Neighbour | undefined;
  /** Largest absolute push among the siblings: a full bar. */
  largest: number;
  /** It is the rollout that is read. */
  here: boolean;
  open: (rollout: RolloutName) => void;
  diff: (rollout: RolloutName) => void;
}

/** A row of the credit table: one sibling, from its reward clauses to the push on its tokens. */
const ChainRow = ({ chain, number, sibling, largest, here, open, diff }: ChainRowProps) => {
  const { clauses, reward, baseline, advantage, stored, trainedTokens, tokenWeight, totalPush } =
    chain;
  // Bars are relative to the largest push of this group; their lengths compare siblings only.
  const share = totalPush === null || largest === 0 ? 0 : Math.abs(totalPush) / largest;
  const name = sibling && { fileId: sibling.fileId, rolloutId: sibling.id };
  return (
    <tr className={here ? 'chosen' : ''}>
      <th scope="row">
        {here || !name ? (
          `${number} (this)`
        ) : (
          <button type="button" className="link" onClick={() => open(name)}>
            {number}
          </button>
        )}
      </th>
      <td className="group-answer">
        <MarkedText text={sibling ? answerOf(sibling) : 'no answer'} marks={[]} />
      </td>
      <td className="figure">{formatNumber(sibling?.em)}</td>
      <td>
        {clauses.map(({ clause, value, weight }, i) => (
          <span key={i} className="clause-term">
            {clause} {formatNumber(weight)} × {formatNumber(value)}
          </span>
        ))}
      </td>
      <td className="figure">{formatNumber(reward)}</td>
      <td className="figure">{formatNumber(baseline)}</td>
      <td className="figure">{formatSigned(advantage, 3)}</td>
      <td className="figure">{formatSigned(stored.advantage, 3)}</td>
      <td className="figure">{trainedTokens === null ? '–' : formatCount(trainedTokens)}</td>
      <td className="figure">{formatNumber(tokenWeight)}</td>
      <td className="figure push-cell">
        <span className="push-bar" aria-hidden="true">
          <span
            className={(totalPush ?? 0) < 0 ? 'loss' : 'gain'}
            style={{ width: `${Math.round(share * 100)}%` }}
          />
        </span>
        {formatNumber(totalPush)}
      </td>
      <td>
        {here || !name ? null : (
          <button type="button" className="link" onClick={() => diff(name)}>
            diff
            <span className="visually-hidden"> with sibling {number}</span>
          </button>
        )}
      </td>
    </tr>
  );
};

/**
 * Names and classes of the columns. An arrow means that a column is computed from those before it;
 * "in the file" is the advantage that the file itself gives, to compare with.
 */
const HEADS: readonly [string, string][] = [
  ['sibling', ''],
  ['answer', ''],
  ['EM (SQuAD)', 'figure'],
  ['clauses (weight × value)', ''],
  ['→ reward', 'figure'],
  ['→ baseline', 'figure'],
  ['→ advantage', 'figure'],
  ['in the file', 'figure'],
  ['trained tokens', 'figure'],
  ['→ weight per token', 'figure'],
  ['→ total update', 'figure'],
  ['', ''],
];

/** Texts of siblings. The group is answered without them, so that its numbers appear first. */
const readAll = (fileId: string, places: readonly RolloutPlace[]) =>
  Promise.all(places.map((place) => rollouts().rollout(fileId, place)));

interface GroupViewProps {
  reading: Reading;
  /** Goes to a sibling; `event` is a segment, from 0. */
  open: (rollout: RolloutName, event?: number) => void;
  /** Compares this rollout with a sibling. */
  diff: (rollout: RolloutName) => void;
}

/**
 * The tree of the siblings whose texts were read. Pressing a node opens the sibling at the segment of
 * that step.
 */
const Tree = (props: {
  aligned: AlignedGroup;
  rollouts: readonly ImportedRollout[];
  siblings: readonly Neighbour[];
  here: string;
  open: GroupViewProps['open'];
}) => {
  const { aligned, rollouts, siblings, here, open } = props;
  const list = useMemo(
    () =>
      rollouts.map((rollout, i): Sibling => {
        const fork = isOwnRollout(rollout) ? rollout.forks?.at(-1) : undefined;
        return {
          rollout,
          name: `sibling ${i + 1}${rollout.id === here ? ' (this)' : ''}`,
          em: aligned.siblings[i]?.em ?? null,
          ...(fork && { fork: `forked at event ${fork.event + 1}` }),
        };
      }),
    [aligned, rollouts, here],
  );
  const go = (at: number, step: TreeStep) => {
    const sibling = siblings[at];
    const segment =
      step.of === 'segment' ? step.at : (rollouts[at]?.events?.[step.at]?.segment ?? 0);
    if (sibling) open({ fileId: sibling.fileId, rolloutId: sibling.id }, segment);
  };
  return <SiblingTree siblings={list} open={go} heading="h2" all={aligned.siblings.length} />;
};

/**
 * All rollouts of one question and step: where they part, how rewards became advantages and pushes,
 * and their rounds side by side. Numbers load first, texts of the siblings after them.
 */
export const GroupView = ({ reading, open, diff }: GroupViewProps) => {
  const { file, row, rollout, siblings, loss } = reading;
  const group = useAnswer(`${file.id} ${row.row.group}`, () =>
    rollouts().group(file.id, row.row.group, settingsFor(loss), MOST_BESIDE),
  );
  const value = group.state === 'ready' ? group.value : null;
  const places = value?.places ?? [];
  const texts = useAnswer(value ? `${file.id} ${row.row.group} ${places.length}` : null, () =>
    readAll(file.id, places),
  );
  const chains = useMore(value?.credit.chains ?? [], pageOf(HEADS.length));
  const largest = useMemo(
    () =>
      Math.max(0, ...(value?.credit.chains.map(({ totalPush }) => Math.abs(totalPush ?? 0)) ?? [])),
    [value],
  );
  if (group.state === 'failed') return <Problem what="The group" message={group.message} />;
  if (group.state === 'loading') return <p className="fine">Reading the group …</p>;
  if (!value) return <p>This rollout has no group.</p>;
  const { aligned, credit } = value;
  const alone = aligned.siblings.length === 1;
  return (
    <div className="group-view">
      {alone ? (
        <p className="note">
          This is the only rollout of its group: the file has no other rollout of this question at
          this step. Without siblings there is no advantage.
        </p>
      ) : null}
      {credit.zeroVariance ? (
        <p className="note">
          <b>⚠ No variance:</b> all {aligned.siblings.length} rewards are equal, so every advantage
          is 0 and the group gives no learning signal. DAPO resamples such groups.
        </p>
      ) : null}
      {alone || texts.state !== 'ready' ? null : (
        <Tree
          aligned={aligned}
          rollouts={texts.value}
          siblings={siblings}
          here={rollout.id}
          open={open}
        />
      )}
      <h2>Credit: from reward to token weight</h2>
      <div className="wide-scroll" role="region" aria-label="Credit of the group" tabIndex={0}>
        <table className="rollout-table credit">
          <thead>
            <tr>
              {HEADS.map(([name, className], i) => (
                <th key={i} scope="col" className={className}>
                  {name || <span className="visually-hidden">compare</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {chains.rows.map((chain, i) => (
              <ChainRow
                key={i}
                chain={chain}
                number={i + 1}
                sibling={siblings[i]}
                largest={largest}
                here={chain.id === rollout.id}
                open={open}
                diff={diff}
              />
            ))}
          </tbody>
        </table>
        {chains.more}
      </div>
      <p className="fine">
        Computed from stored rewards with {settingsSource(loss)}: {settingsWords(settingsFor(loss))}
        . The batch is this group. Change the settings under “What if”.{' '}
        {credit.cannot.length > 0 ? `Not available: ${credit.cannot.join('; ')}.` : ''}
      </p>
      <h2>Side by side</h2>
      {aligned.siblings.length > MOST_BESIDE ? (
        <p className="fine">
          The first {MOST_BESIDE} of {aligned.siblings.length} siblings.
        </p>
      ) : null}
      {texts.state === 'failed' ? (
        <Problem what="The siblings’ texts" message={texts.message} />
      ) : null}
      <Aligned
        aligned={aligned}
        rollouts={texts.state === 'ready' ? texts.value : null}
        here={rollout.id}
        beside={MOST_BESIDE}
      />
    </div>
  );
};
