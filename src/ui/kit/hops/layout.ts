/** Layout of the hop map's nodes, in CSS pixels. */

/** A node is as wide as its row allows, from `least` to `width`. */
export const NODE = { width: 300, least: 176, height: 96 } as const;
/** Gap for the arrows. */
const GAP = { x: 30, y: 30 } as const;

/** Upper left corner of a node. */
export interface Place {
  x: number;
  y: number;
}

/** Top left corners of the nodes, and the total size. */
export interface HopLayout {
  places: Place[];
  width: number;
  height: number;
  /** Width of a node. */
  node: number;
}

/**
 * Nodes in reading order; each row shares the width.
 * @param width of the page's column
 */
export function hopLayout(count: number, width: number): HopLayout {
  const fit = Math.max(1, Math.floor((width - 2 + GAP.x) / (NODE.least + GAP.x)));
  // Rows of similar length: five nodes where four fit become three and two.
  const columns = fit === 1 ? 1 : Math.min(fit, Math.ceil(count / Math.ceil(count / fit)));
  // Stacked nodes take the whole width.
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

/** The line between nodes: straight within a row, else down to the next row. */
export const arrowPath = (from: Place, to: Place, node: number): string => {
  const middle = NODE.height / 2;
  if (from.y === to.y) return `M${from.x + node + 2} ${from.y + middle}H${to.x - 3}`;
  const bottom = from.y + NODE.height;
  const turn = (bottom + to.y) / 2;
  return `M${from.x + node / 2} ${bottom + 2}V${turn}H${to.x + node / 2}V${to.y - 3}`;
};
