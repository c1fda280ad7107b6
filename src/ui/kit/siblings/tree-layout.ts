import type { TreeNode } from '../../../evaluate/rollouts/siblings/tree.ts';

/** Layout of the sibling tree, in CSS pixels; a line per sibling, a column per step. */

const ROW = 36;
const TOP = 6;
const LEFT = 4;
/** Widest column and node. */
const WIDEST = 84;
/** Narrower columns would overlap: the drawing scrolls. */
const NARROWEST = 8;
/** Room for a two-digit count between nodes; in narrower columns only the band width shows it. */
const COUNTED = 18;
const NODE = 20;
/** Thickest band, and thickness per sibling. */
const BAND = 26;
const ADDS = 6;

/** A step of one or several siblings. CSS pixels. */
export interface PlacedNode {
  node: TreeNode;
  /** Centre of the node. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** Width of the incoming band. */
  band: number;
  /** Index of its parent; null for a root. */
  parent: number | null;
  /** The first node of a shared branch: its count is written if there is room. */
  counted: boolean;
}

/** A sibling’s answer, at the right end of its line. CSS pixels. */
export interface PlacedLeaf {
  /** Which sibling. */
  member: number;
  y: number;
  /** Where its last node ends, and the width of the curve to its line. */
  from: { x: number; y: number };
  bend: number;
}

/** The layout for one width, shared by drawing and buttons. */
export interface TreeLayout {
  nodes: PlacedNode[];
  /** From top to bottom. */
  leaves: PlacedLeaf[];
  /** Start of the leaf labels, and their width. */
  names: number;
  namesWidth: number;
  /** Total width, in pixels: more than given if there are too many steps. */
  width: number;
  height: number;
  /** Whether a node has room for its icon. */
  signs: boolean;
}

const depthOf = (nodes: readonly TreeNode[]): number =>
  nodes.reduce((most, { depth, children }) => Math.max(most, depth + 1, depthOf(children)), 0);

/**
 * @param width of the page's column
 * @param count number of siblings
 */
export function treeLayout(roots: readonly TreeNode[], width: number, count: number): TreeLayout {
  const namesWidth = Math.round(Math.min(320, Math.max(116, width * 0.3)));
  const columns = Math.max(1, depthOf(roots));
  const room = (width - namesWidth - LEFT - 8) / columns;
  const column = Math.max(NARROWEST, Math.min(WIDEST, room));
  const names = Math.max(width - namesWidth, LEFT + columns * column + 8);
  const size = Math.max(4, Math.min(NODE, column - 2));
  const unit = Math.min(ADDS, BAND / Math.max(1, count));
  const nodes: PlacedNode[] = [];
  const leaves: PlacedLeaf[] = [];
  const place = (node: TreeNode, parent: number | null, alone: boolean): number => {
    const at = nodes.length;
    const band = Math.max(1.5, node.members.length * unit);
    const x = LEFT + (node.depth + 0.5) * column;
    const placed = {
      node,
      x,
      y: 0,
      width: size,
      height: Math.max(20, band),
      band,
      parent,
      counted: !alone && node.members.length > 1 && column >= COUNTED,
    };
    nodes.push(placed);
    const ends = node.ends.map((member) => {
      const y = TOP + (leaves.length + 0.5) * ROW;
      const leaf = { member, y, from: { x: x + size / 2, y }, bend: 0 };
      leaves.push(leaf);
      return leaf;
    });
    const ys = ends.map(({ y }) => y);
    const only = node.children.length === 1 && node.ends.length === 0;
    for (const child of node.children) ys.push(place(child, at, only));
    placed.y = ys.length === 0 ? TOP + ROW / 2 : (Math.min(...ys) + Math.max(...ys)) / 2;
    for (const leaf of ends) {
      leaf.from.y = placed.y;
      leaf.bend = leaf.y === placed.y ? 0 : Math.min(24, names - leaf.from.x - 8);
    }
    return placed.y;
  };
  for (const root of roots) place(root, null, false);
  return {
    nodes,
    leaves,
    names,
    namesWidth,
    width: names + namesWidth,
    height: 2 * TOP + leaves.length * ROW,
    signs: size >= 8.5,
  };
}

/** The band from a node to one of its children. */
export const bandPath = (from: PlacedNode, to: PlacedNode): string => {
  const [x1, x2] = [from.x + from.width / 2, to.x - to.width / 2];
  const middle = (x1 + x2) / 2;
  return from.y === to.y
    ? `M${x1} ${from.y}H${x2}`
    : `M${x1} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${x2} ${to.y}`;
};

/** The line from the last node of a sibling to its answer. */
export const leadPath = ({ y, from, bend }: PlacedLeaf, to: number): string => {
  const middle = from.x + 2 + bend / 2;
  const curve = bend === 0 ? '' : `C${middle} ${from.y} ${middle} ${y} ${from.x + 2 + bend} ${y}`;
  return `M${from.x + 2} ${from.y}${curve}H${to}`;
};

/** The target of an arrow key: along the branch, or up and down the column. */
export function neighbourOf(nodes: readonly PlacedNode[], at: number, key: string): number | null {
  const from = nodes[at];
  if (!from) return null;
  const found = (index: number): number | null => (index < 0 ? null : index);
  switch (key) {
    case 'ArrowLeft':
      return from.parent;
    case 'ArrowRight':
      return found(nodes.findIndex(({ parent }) => parent === at));
    case 'Home':
      return 0;
    case 'ArrowUp':
    case 'ArrowDown': {
      const sign = key === 'ArrowDown' ? 1 : -1;
      let best: number | null = null;
      let least = Infinity;
      nodes.forEach(({ x, y }, i) => {
        if ((y - from.y) * sign <= 1) return;
        // Nodes in the same column first: by line first, some nodes would be unreachable.
        const far = Math.abs(x - from.x) * 1e4 + Math.abs(y - from.y);
        if (far < least) [best, least] = [i, far];
      });
      return best;
    }
    default:
      return null;
  }
}
