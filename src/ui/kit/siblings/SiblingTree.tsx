import { fitted } from '../charts/fitted.ts';
import { memo, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import {
  siblingTree,
  stepsOf,
  valuesOf,
  type SiblingValues,
  type TreeNode,
  type TreeStep,
} from '../../../evaluate/rollouts/siblings/tree.ts';
import { answerText } from '../../../records/outside-answer.ts';
import { Icon } from '../Icon.tsx';
import { Picture } from '../charts/picture/Picture.tsx';
import { Term } from '../words/explain/Term.tsx';
import { formatSigned, DASH } from '../words/format.ts';
import type { Sibling } from './sibling.ts';
import { bandPath, leadPath, neighbourOf, treeLayout, type TreeLayout } from './tree-layout.ts';
import { BASIS_WORDS, nodeLabel, stepWords, valueWords } from './tree-words.ts';
import './siblings.css';
import { signedBy } from '../../../evaluate/rollouts/basis.ts';

interface TableProps {
  roots: readonly TreeNode[];
  siblings: readonly Sibling[];
  values: SiblingValues;
  open: (sibling: number, step: TreeStep) => void;
}

/** The first node that only this sibling has; null if another sibling is identical. */
function partsAt(nodes: readonly TreeNode[], member: number): TreeNode | null {
  const node = nodes.find(({ members }) => members.includes(member));
  if (!node) return null;
  return node.members.length === 1 ? node : partsAt(node.children, member);
}

/** The siblings with what they share and where they diverge. */
const SiblingTable = ({ roots, siblings, values, open }: TableProps) => (
  <table className="sibling-table">
    <thead>
      <tr>
        {[
          'rollout',
          'answer',
          'EM',
          values.basis === null ? 'value' : BASIS_WORDS[values.basis],
          'differs at',
        ].map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {siblings.map((sibling, i) => {
        const { rollout, name, em, fork } = sibling;
        const parts = partsAt(roots, i);
        const words = parts && stepWords(rollout, parts.step);
        return (
          <tr key={i}>
            <th scope="row">
              {name}
              {fork === undefined ? null : <span className="fine"> {fork}</span>}
            </th>
            <td>
              {answerText(rollout)}
              {rollout.question.answers.length > 0 ? (
                <span className="fine"> gold {rollout.question.answers.join(' / ')}</span>
              ) : null}
            </td>
            <td>{em === null ? DASH : signedBy(em === 1, 'em')}</td>
            <td className="figure">
              {values.basis === null ? DASH : valueWords(values.values[i] ?? null)}
            </td>
            <td>
              {parts && words ? (
                <button type="button" className="link" onClick={() => open(i, parts.step)}>
                  {parts.step.of === 'event' ? 'event' : 'part'} {parts.step.at + 1}, {words.name}
                </button>
              ) : (
                'same as another'
              )}{' '}
              <span className="fine">{words?.line.slice(0, 120)}</span>
            </td>
          </tr>
        );
      })}
    </tbody>
  </table>
);

/** The rollouts of one question, merged where they are the same; a node opens its event. */

interface TreeProps {
  siblings: readonly Sibling[];
  /** Opens a step of a sibling. */
  open: (sibling: number, step: TreeStep) => void;
  heading?: 'h2' | 'h3';
  /** Total number of siblings, if not all were loaded. */
  all?: number;
}

/** Most siblings and steps of a readable drawing. */
const MOST_SIBLINGS = 32;

/** Above the mean: one colour and solid, below: another and dashed. */
const toneOf = (value: number | null): string =>
  value === null || value === 0 ? 'even' : value > 0 ? 'gain' : 'loss';

const strengthOf = (value: number | null, largest: number): number =>
  value === null || largest === 0 ? 1 : 0.3 + 0.7 * Math.min(1, Math.abs(value) / largest);

interface DrawingProps {
  layout: TreeLayout;
  siblings: readonly Sibling[];
  values: SiblingValues;
  largest: number;
}

const Bands = ({ layout: { nodes }, largest }: Pick<DrawingProps, 'layout' | 'largest'>) =>
  nodes.map((to, i) => {
    const from = to.parent === null ? undefined : nodes[to.parent];
    return from ? (
      <path
        key={i}
        className={`tree-band ${toneOf(to.node.value)}`}
        d={bandPath(from, to)}
        strokeWidth={to.band}
        strokeOpacity={strengthOf(to.node.value, largest)}
      />
    ) : null;
  });

const Nodes = ({ layout: { nodes, signs }, siblings }: Pick<DrawingProps, 'layout' | 'siblings'>) =>
  nodes.map(({ node, x, y, width, height, counted }, i) => {
    const rollout = siblings[node.members[0] ?? -1]?.rollout;
    const sign = rollout && signs ? stepWords(rollout, node.step).sign : null;
    const size = width < 13 ? 8 : 11;
    return (
      <g key={i}>
        <rect
          className={`tree-node ${toneOf(node.value)}`}
          x={x - width / 2}
          y={y - height / 2}
          width={width}
          height={height}
          rx={4}
        />
        {sign === null ? null : (
          <g className={`tree-icon ${sign}`}>
            <Icon name={sign} size={size} x={x - size / 2} y={y - size / 2} />
          </g>
        )}
        {counted ? (
          <text className="tree-count" x={x} y={y - height / 2 - 3} textAnchor="middle">
            ×{node.members.length}
          </text>
        ) : null}
      </g>
    );
  });

const outcomeSign = (em: number | null): string => (em === null ? '■' : em === 1 ? '✓' : '✗');

const Leaves = ({ layout, siblings, values }: Omit<DrawingProps, 'largest'>) =>
  layout.leaves.map((leaf) => {
    const { member, y } = leaf;
    const sibling = siblings[member];
    if (!sibling) return null;
    const { rollout, em, fork, name } = sibling;
    const value = values.values[member] ?? null;
    const gold = rollout.question.answers.join(' / ');
    const more = [
      ...(values.basis !== null && value !== null ? [formatSigned(value)] : []),
      ...(fork === undefined ? [] : [fork]),
      ...(em === 0 && gold !== '' ? [`gold ${gold}`] : []),
      ...(fork === undefined ? [name] : []),
    ].join(' · ');
    const room = layout.namesWidth - 8;
    return (
      <g key={member}>
        <path className="tree-lead" d={leadPath(leaf, layout.names - 4)} />
        <text
          className={`tree-answer ${em === null ? '' : em === 1 ? 'right' : 'wrong'}`}
          x={layout.names + 4}
          y={y - 2}
        >
          {outcomeSign(em)} {fitted(answerText(rollout), room - 16, 6.9)}
        </text>
        <text className="tree-more" x={layout.names + 4} y={y + 12}>
          {fitted(more, room, 5.9)}
        </text>
      </g>
    );
  });

const Drawing = memo((props: DrawingProps) => (
  <svg width={props.layout.width} height={props.layout.height} aria-hidden="true">
    <Bands {...props} />
    <Leaves {...props} />
    <Nodes {...props} />
  </svg>
));

/** The drawing with a button per node: one tab stop, arrow keys inside. */
const Branches = (props: DrawingProps & { open: TreeProps['open']; count: number }) => {
  const { layout, siblings, values, open, count } = props;
  const { nodes } = layout;
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const current = Math.min(at, nodes.length - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = neighbourOf(nodes, current, event.key);
    if (next === null && !event.key.startsWith('Arrow')) return;
    event.preventDefault();
    event.stopPropagation();
    if (next === null) return;
    setAt(next);
    box.current?.querySelectorAll<HTMLElement>('.tree-button')[next]?.focus();
  };
  const label = (node: TreeNode): string => {
    const rollout = siblings[node.members[0] ?? -1]?.rollout;
    return rollout ? nodeLabel(node, stepWords(rollout, node.step), count, values.basis) : '';
  };
  return (
    <div
      ref={box}
      className="tree-branches"
      role="group"
      aria-label="Branches: arrow keys move, Enter opens the event"
      onKeyDown={onKeyDown}
    >
      <Drawing layout={layout} siblings={siblings} values={values} largest={props.largest} />
      {nodes.map(({ node, x, y, width, height }, i) => (
        <button
          key={i}
          type="button"
          className="tree-button"
          tabIndex={i === current ? 0 : -1}
          style={{ left: x - width / 2, top: y - height / 2, width, height }}
          title={label(node)}
          aria-label={`${label(node)}. Open it`}
          onFocus={() => setAt(i)}
          onClick={() => open(node.members[0] ?? 0, node.step)}
        />
      ))}
    </div>
  );
};

/** A segment of a branch. */
const Sign = ({ of }: { of: 'gain' | 'loss' }) => (
  <svg className={`tree-sign ${of}`} width={12} height={12} aria-hidden="true">
    <path d="M0 7H12" />
  </svg>
);

const Note = ({ basis }: Pick<SiblingValues, 'basis'>) => (
  <>
    <Term id="group">Siblings</Term> share a branch while their texts are the same. Width = number
    of rollouts;{' '}
    {basis === null ? (
      'all are equal so far, so branches have no colour'
    ) : (
      <>
        colour is{' '}
        {basis === 'advantage' ? <Term id="advantage">advantage</Term> : BASIS_WORDS[basis]}:{' '}
        <Sign of="gain" /> above the mean: solid, <Sign of="loss" /> below: dashed
      </>
    )}
    . Leaves: answers, compared with <Term id="gold">gold</Term>, ✓ right by <Term id="em">EM</Term>
    .
  </>
);

/**
 * Where the rollouts of a group diverge, as a tree from left to right; the first `MOST_SIBLINGS`.
 * Memoised, because streaming columns render often.
 */
export const SiblingTree = memo(({ siblings, open, heading = 'h3', all }: TreeProps) => {
  const shown = useMemo(() => siblings.slice(0, MOST_SIBLINGS), [siblings]);
  const values = useMemo(
    () =>
      valuesOf(
        shown.map(({ rollout: { advantage, reward }, em }) => ({ advantage, reward, em })),
        (at) => shown[at]?.fork !== undefined,
      ),
    [shown],
  );
  const roots = useMemo(
    () =>
      siblingTree(
        shown.map(({ rollout }) => stepsOf(rollout)),
        values.values,
      ),
    [shown, values],
  );
  const largest = Math.max(0, ...values.values.map((value) => Math.abs(value ?? 0)));
  return (
    <Picture
      id="siblings"
      title="Rollout tree"
      heading={heading}
      className="siblings"
      note={<Note basis={values.basis} />}
      does="Click an event to open it."
      empty={roots.length === 0 ? 'No rollout has started.' : null}
      renderPicture={(width) => (
        <Branches
          layout={treeLayout(roots, width, shown.length)}
          siblings={shown}
          values={values}
          largest={largest}
          open={open}
          count={shown.length}
        />
      )}
      renderTable={() => (
        <SiblingTable roots={roots} siblings={shown} values={values} open={open} />
      )}
      foot={
        (all ?? siblings.length) > shown.length ? (
          <p className="fine" data-legend="">
            The first {shown.length} of {all ?? siblings.length} siblings.
          </p>
        ) : null
      }
    />
  );
});
