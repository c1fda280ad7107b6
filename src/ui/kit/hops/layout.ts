/** Where the nodes of the hop map stand, in CSS pixels. */

/** A node is as wide as its row allows, from `least` to `width`. */
export const NODE = { width: 300, least: 176, height: 96 } as const;
/** Between nodes, where the arrows run. */
const GAP = { x: 30, y: 30 } as const;

/** Upper left corner of a node. */
export interface Place {
  x: number;
  y: number;
}

/** Upper left corners of the nodes, and the size of all together. */
export interface HopLayout {
  places: Place[];
  width: number;
  height: number;
  /** Width of a node. */
  node: number;
}

/** Nodes in reading order, as many in a row as fit; they share the row's width. @param width of the page's column */
export function hopLayout(count: number, width: number): HopLayout {
  const fit = Math.max(1, Math.floor((width - 2 + GAP.x) / (NODE.least + GAP.x)));
  // In rows of like lengths: five nodes where four fit are three and two, each with more room for its words.
  const columns = fit === 1 ? 1 : Math.min(fit, Math.ceil(count / Math.ceil(count / fit)));
  // One below the other they take the whole column.
  const room = Math.floor((width - 2 - (columns - 1) * GAP.x) / columns);
  const node = columns > 1 ? Math.min(NODE.width, room) : Math.max(120, width - 2);
  const rows = Math.max(1, Math.ceil(count / columns));
  const places = Array.from({ length: count }, (_, i) => ({
    x: (i % columns) * (node + GAP.x) + 1,
    y: Math.floor(i / columns) * (NODE.height + GAP.y) + 1,
  }));
  const used = Math.min(columns, count);
  return {
    places,
    node,
    width: used * node + (used - 1) * GAP.x + 2,
    height: rows * NODE.height + (rows - 1) * GAP.y + 2,
  };
}

/** Line from one node to the next: straight within a row, else down to the next row. */
export const arrowPath = (from: Place, to: Place, node: number): string => {
  const middle = NODE.height / 2;
  if (from.y === to.y) return `M${from.x + node + 2} ${from.y + middle}H${to.x - 3}`;
  const bottom = from.y + NODE.height;
  const turn = (bottom + to.y) / 2;
  return `M${from.x + node / 2} ${bottom + 2}V${turn}H${to.x + node / 2}V${to.y - 3}`;
};
