import { useMemo } from 'react';
import type { RecordedRollout } from './recording.ts';
import { hasGrown, type Grown } from './story.ts';
import { heroTree, type AnswerLeaf, type HeroTree, type SearchNode } from './tree.ts';

/** Half the size of a node, CSS pixels. */
const R = 9;
/** Average width of a character of a label. */
const CHARACTER = 6;

/** Widest bend of an edge. */
const BEND = 56;

/** Level below the label of its start, then a curve to where it ends. */
const edge = (from: { x: number; y: number }, to: { x: number; y: number }): string => {
  const bend = Math.min(BEND, to.x - from.x);
  const at = to.x - bend;
  return (
    `M${from.x} ${from.y}H${at}` +
    `C${at + bend / 2} ${from.y} ${at + bend / 2} ${to.y} ${to.x} ${to.y}`
  );
};

const clipped = (text: string, width: number): string => {
  const most = Math.floor(width / CHARACTER);
  if (most < 5) return '';
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
};

/** Local: a square; web: a circle with a meridian. Filled once a passage of use came. */
export const SourceMark = ({ source, found }: { source: 'local' | 'web'; found: boolean }) => (
  <g className={`hero-source ${source} ${found ? 'found' : ''}`}>
    {source === 'local' ? (
      <>
        <rect x={-R} y={-R} width={2 * R} height={2 * R} rx={4} />
        <path d="M-4.5 -3H4.5M-4.5 0.5H4.5M-4.5 4H1.5" />
      </>
    ) : (
      <>
        <circle r={R} />
        <path d="M-8 0H8M0 -8C-5 -3 -5 3 0 8C5 3 5 -3 0 -8" />
      </>
    )}
  </g>
);

/** Right: a filled circle with a check; wrong: an empty square with a cross. */
export const AnswerMark = ({ right }: { right: boolean }) => (
  <g className={right ? 'hero-answer right' : 'hero-answer wrong'}>
    {right ? (
      <>
        <circle r={8} />
        <path d="M-3.5 0.5L-1 3L3.8 -2.8" />
      </>
    ) : (
      <>
        <rect x={-7} y={-7} width={14} height={14} rx={2} />
        <path d="M-3 -3L3 3M3 -3L-3 3" />
      </>
    )}
  </g>
);

const shownIf = (shown: boolean, name: string): string => (shown ? `${name} shown` : name);

interface Drawn {
  tree: HeroTree;
  grown: Grown;
}

const Search = ({ node, tree, grown }: Drawn & { node: SearchNode }) => {
  const { round, source, query, found, members, x, y, parent } = node;
  const from = parent === null ? tree.root : tree.nodes[parent];
  const here = hasGrown(grown, { round, part: 'search' });
  const read = hasGrown(grown, { round, part: 'read' });
  return (
    <g className={shownIf(here, 'hero-part')}>
      {from ? (
        <path
          className="hero-edge"
          pathLength={1}
          strokeWidth={1 + members.length * 0.7}
          d={edge({ x: from.x + R, y: from.y }, { x: x - R, y })}
        />
      ) : null}
      <g transform={`translate(${x} ${y})`}>
        <SourceMark source={source} found={read && found} />
      </g>
      <text className="hero-label" x={x + R + 4} y={y - 5}>
        {clipped(query, tree.column - 2 * R - 8)}
      </text>
    </g>
  );
};

const Answer = ({ leaf, tree, grown }: Drawn & { leaf: AnswerLeaf }) => {
  const { text, right, y, searches, parent } = leaf;
  const from = parent === null ? tree.root : tree.nodes[parent];
  // One that ends earlier than the one told answers while that one thinks on.
  const here = hasGrown(grown, { round: searches, part: 'search' }) || grown === 'whole';
  return (
    <g className={shownIf(here, 'hero-part')}>
      {from ? (
        <path
          className="hero-edge thin"
          pathLength={1}
          strokeWidth={1.5}
          d={edge({ x: from.x + R, y: from.y }, { x: tree.answerX - 12, y })}
        />
      ) : null}
      <g transform={`translate(${tree.answerX} ${y})`}>
        <AnswerMark right={right} />
      </g>
      <text className="hero-answer-text" x={tree.answerX + 14} y={y + 4}>
        {clipped(text === '' ? 'no answer' : text, tree.answerWidth - 18)}
      </text>
    </g>
  );
};

/** Where a rollout thinks: three dots at the end of each branch that continues. */
const Thinking = ({ tree, grown }: Drawn) => {
  if (typeof grown === 'string' || grown.part !== 'think') return null;
  const at =
    grown.round === 0 ? [tree.root] : tree.nodes.filter((node) => node.round === grown.round - 1);
  return at.map(({ x, y }, i) => (
    <g key={i} className="hero-thinking" transform={`translate(${x + R + 8} ${y})`}>
      <circle r={2} />
      <circle cx={7} r={2} />
      <circle cx={14} r={2} />
    </g>
  ));
};

/** Eight rollouts of one question, as far as they have grown. */
export const TreePicture = (props: {
  rollouts: readonly RecordedRollout[];
  grown: Grown;
  width: number;
}) => {
  const { rollouts, grown, width } = props;
  const tree = useMemo(() => heroTree(rollouts, width), [rollouts, width]);
  return (
    <svg className="hero-tree" width={width} height={tree.height} aria-hidden="true">
      <g transform={`translate(${tree.root.x} ${tree.root.y})`} className="hero-root">
        <circle r={R} />
        <text textAnchor="middle" y={4}>
          ?
        </text>
      </g>
      {tree.nodes.map((node, i) => (
        <Search key={i} node={node} tree={tree} grown={grown} />
      ))}
      {tree.leaves.map((leaf) => (
        <Answer key={leaf.member} leaf={leaf} tree={tree} grown={grown} />
      ))}
      <Thinking tree={tree} grown={grown} />
    </svg>
  );
};
