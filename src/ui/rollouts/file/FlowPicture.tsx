import { withBasis } from '../../../evaluate/rollouts/basis.ts';
import { ENDS, END_NAMES, type End, type Flow } from '../../../evaluate/rollouts/why.ts';
import { Picture } from '../../kit/charts/picture/Picture.tsx';
import { formatCount, formatShare } from '../../kit/words/format.ts';
import { BAR, bandPath, branchPath, flowLayout } from './flow-layout.ts';

/** Where rollouts failed between question and answer; a click opens the cases. */

interface FlowProps {
  title: string;
  flow: Flow;
  /** What decides right and wrong; null if nothing does. */
  basis: string | null;
  onPick: (end: End) => void;
}

/** Meaning of each end. */
const NOTES: Record<End, string> = {
  right:
    'Right, and a retrieved passage contains a gold answer; counts as passing every stage. A right yes or no counts too if anything was retrieved, because its evidence cannot be checked by text.',
  'right-unread': 'Right, but no retrieved passage contains a gold answer: memory, or a guess.',
  'not-asked':
    'No query asked for a passage of the gold chain; without a gold chain: nothing was searched.',
  'not-found':
    'The passage was searched for but not retrieved, or searched for in the wrong source; without a gold chain: no result contained a gold answer.',
  'not-read': 'The passage was retrieved, but the model used something else.',
  'not-answered':
    'All passages were retrieved and, as far as the record shows, used; the answer is wrong or missing.',
};

const countOf = (flow: Flow, end: End): number =>
  end === 'right' ? flow.right : end === 'right-unread' ? flow.unread : flow.lost[end];

/** The drawing; buttons are above it. */
const Drawing = ({ flow, basis, width }: Pick<FlowProps, 'flow' | 'basis'> & { width: number }) => {
  const { stages, height, labels } = flowLayout(flow, width);
  return (
    <svg width={width} height={height} aria-hidden="true">
      {stages.map((stage, i) => {
        const next = stages[i + 1];
        return (
          <g key={stage.name}>
            {next && next.count > 0 ? (
              <path className="flow-band" d={bandPath(stage, next)} />
            ) : null}
            {stage.branches.map((branch) => (
              <g key={branch.end}>
                <path
                  className={branch.end === 'right-unread' ? 'flow-loss flow-unread' : 'flow-loss'}
                  d={branchPath(stage, branch, labels)}
                />
                <text
                  x={labels + 9}
                  y={branch.y + 4}
                  className={branch.end === 'right-unread' ? 'flow-name' : 'flow-lost'}
                >
                  {formatCount(branch.count)} {branch.name}
                </text>
              </g>
            ))}
            <rect
              y={stage.y}
              width={Math.max(stage.count > 0 ? 1.5 : 0, stage.width)}
              height={BAR}
              rx={2}
              className={next ? 'flow-bar' : 'flow-bar flow-right'}
            />
            <text x={0} y={stage.y - 5} className="flow-name">
              {formatCount(stage.count)} {next ? stage.name : withBasis(stage.name, basis)}
            </text>
          </g>
        );
      })}
    </svg>
  );
};

const Table = ({ flow, basis, title, onPick }: FlowProps) => (
  <table className="bars-table" aria-label={title}>
    <tbody>
      {END_NAMES.map((end) => (
        <tr key={end}>
          <th scope="row">
            <button type="button" className="link" onClick={() => onPick(end)}>
              {end === 'right' ? withBasis(ENDS[end], basis) : ENDS[end]}
            </button>
            <p className="fine">{NOTES[end]}</p>
          </th>
          <td className="figure">{formatCount(countOf(flow, end))}</td>
          <td className="figure fine">
            {formatShare(flow.all === 0 ? null : countOf(flow, end) / flow.all)}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

/** The drawing, with a keyboard-accessible button on the name of each branch. */
const Flowing = ({ flow, basis, onPick, width }: FlowProps & { width: number }) => {
  const { stages, labels } = flowLayout(flow, width);
  const last = stages.at(-1);
  return (
    <>
      <Drawing flow={flow} basis={basis} width={width} />
      {stages
        .flatMap(({ branches }) => branches)
        .map(({ end, count, y }) => (
          <button
            key={end}
            type="button"
            className="flow-button"
            style={{ left: labels, top: y - 13, width: width - labels, height: 26 }}
            title={NOTES[end]}
            aria-label={`${ENDS[end]}: ${count}. Open these`}
            onClick={() => onPick(end)}
          />
        ))}
      {last && last.count > 0 ? (
        <button
          type="button"
          className="flow-button"
          // Wide enough to click, even for few rollouts.
          style={{ left: 0, top: last.y - 18, width: Math.max(60, last.width), height: BAR + 20 }}
          title={NOTES.right}
          aria-label={`${withBasis('right', basis)}: ${last.count}. Open these`}
          onClick={() => onPick('right')}
        />
      ) : null}
    </>
  );
};

/** Why nothing can be drawn; null if it can. */
const emptyOf = ({ all, undetermined }: Flow): string | null => {
  if (all > 0) return null;
  return undetermined === 0
    ? 'No rollout passes the filter.'
    : 'No rollout here has gold answers, so none can be scored.';
};

/** The flow asked → found → read → answered as a picture, or as a table with the meaning of each end. */
export const FlowPicture = (props: FlowProps) => {
  const { title, flow } = props;
  return (
    <Picture
      id="flow"
      title={title}
      className="flow"
      note="How far rollouts get from question to answer. Width = number of rollouts that can be scored."
      does="Click a branch to list them."
      empty={emptyOf(flow)}
      renderPicture={(width) => <Flowing {...props} width={width} />}
      renderTable={() => <Table {...props} />}
      foot={
        flow.undetermined > 0 && flow.all > 0 ? (
          <p className="fine" data-legend="">
            {formatCount(flow.undetermined)} more cannot be scored: no gold answers, or the answer
            cannot be read.
          </p>
        ) : null
      }
    />
  );
};
