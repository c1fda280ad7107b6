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

interface Place {
  x: number;
  y: number;
}

/** From a search: level below its label, then a curve to where it ends; from the question, the curve comes first. */
const edge = (from: Place, to: Place, atOnce: boolean): string => {
  const bend = Math.min(BEND, to.x - from.x);
  const at = atOnce ? from.x : to.x - bend;
  const middle = at + bend / 2;
  return `M${from.x} ${from.y}H${at}C${middle} ${from.y} ${middle} ${to.y} ${at + bend} ${to.y}H${to.x}`;
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

/** An edge that grows over its faint line, which is there from the start. */
const Edge = (props: {
  tree: HeroTree;
  parent: number | null;
  to: Place;
  shown: boolean;
  weight: number;
}) => {
  const { tree, parent, to, shown, weight } = props;
  const from = parent === null ? tree.root : tree.nodes[parent];
  if (!from) return null;
  const d = edge({ x: from.x + R, y: from.y }, to, parent === null);
  return (
    <>
      <path className="hero-faint" d={d} />
      <path className={shownIf(shown, 'hero-edge')} pathLength={1} strokeWidth={weight} d={d} />
    </>
  );
};

interface Drawn {
  tree: HeroTree;
  grown: Grown;
}

const Search = ({ node, tree, grown }: Drawn & { node: SearchNode }) => {
  const { round, source, query, found, members, x, y, parent } = node;
  const here = hasGrown(grown, { round, part: 'search' });
  const read = hasGrown(grown, { round, part: 'read' });
  const weight = 1 + members.length * 0.7;
  return (
    <>
      <Edge tree={tree} parent={parent} to={{ x: x - R, y }} shown={here} weight={weight} />
      <g className={shownIf(here, 'hero-part')}>
        <g transform={`translate(${x} ${y})`}>
          <SourceMark source={source} found={read && found} />
        </g>
        <text className="hero-label" x={x + R + 4} y={y - 5}>
          {clipped(query, tree.column - 2 * R - 8)}
        </text>
      </g>
    </>
  );
};

const Answer = ({ leaf, tree, grown }: Drawn & { leaf: AnswerLeaf }) => {
  const { text, right, y, searches, parent } = leaf;
  // One that ends earlier than the one told answers while that one searches on.
  const here = hasGrown(grown, { round: searches, part: 'search' });
  return (
    <>
      <Edge
        tree={tree}
        parent={parent}
        to={{ x: tree.answerX - 12, y }}
        shown={here}
        weight={1.5}
      />
      <g className={shownIf(here, 'hero-part')}>
        <g transform={`translate(${tree.answerX} ${y})`}>
          <AnswerMark right={right} />
        </g>
        <text className="hero-answer-text" x={tree.answerX + 14} y={y + 4}>
          {clipped(text === '' ? 'no answer' : text, tree.answerWidth - 18)}
        </text>
      </g>
    </>
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
