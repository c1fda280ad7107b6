import { ENDS, type End, type Flow } from '../../../evaluate/rollouts/why.ts';

/** The flow asked → found → read → answered as a drawing with one scale for all widths. */

/** A branch that leaves the flow: failed, or right another way. */
type Branch = Exclude<End, 'right'>;

/** A bar: rollouts that reached this stage. CSS pixels. */
export interface FlowStage {
  name: string;
  count: number;
  y: number;
  width: number;
  /** Branches before the next stage, from the outside in. */
  branches: FlowBranch[];
}

export interface FlowBranch {
  end: Branch;
  name: string;
  count: number;
  from: number;
  to: number;
  y: number;
}

/** The drawing at a width, CSS pixels. */
export interface FlowLayout {
  stages: FlowStage[];
  height: number;
  /** Start of the branch names. */
  labels: number;
}

/** Height of a bar, CSS pixels; stages are `STEP` apart. */
export const BAR = 16;
const STEP = 62;
/** Height of another branch name, CSS pixels. */
const NAME = 26;
/** Room for the branch names. */
const LABELS = 172;

/** @param width of the drawing, CSS pixels */
export function flowLayout(flow: Flow, width: number): FlowLayout {
  const labels = Math.max(90, width - LABELS);
  const scale = flow.all === 0 ? 0 : labels / flow.all;
  const branchesAt: Branch[][] = [
    ['right-unread', 'not-asked'],
    ['not-found'],
    ['not-read'],
    ['not-answered'],
    [],
  ];
  const counts: [name: string, count: number][] = [
    [flow.all === 1 ? 'rollout' : 'rollouts', flow.all],
    ['asked for', flow.asked],
    ['found', flow.found],
    ['read', flow.read],
    ['right', flow.right],
  ];
  const countOf = (end: Branch): number => (end === 'right-unread' ? flow.unread : flow.lost[end]);
  const stages: FlowStage[] = [];
  let y = 18;
  for (const [i, [name, count]] of counts.entries()) {
    let to = count;
    const ends = (branchesAt[i] ?? []).filter((end) => countOf(end) > 0);
    const branches = ends.map((end, at): FlowBranch => {
      const from = to - countOf(end);
      const branch = {
        end,
        name: ENDS[end],
        count: countOf(end),
        from: from * scale,
        to: to * scale,
        y: y + STEP / 2 + 8 + at * NAME,
      };
      to = from;
      return branch;
    });
    stages.push({ name, count, y, width: count * scale, branches });
    y += STEP + Math.max(0, branches.length - 1) * NAME;
  }
  return { labels, height: y - STEP + BAR + 4, stages };
}

/** The flow straight down. */
export const bandPath = ({ y, width }: FlowStage, next: FlowStage): string => {
  const through = Math.min(width, next.width);
  return `M0 ${y + BAR}H${through.toFixed(1)}V${next.y}H0Z`;
};

/** A branch; its width is its count on the scale of the stage. */
export const branchPath = (
  { y }: FlowStage,
  { from, to, y: end }: FlowBranch,
  labels: number,
): string => {
  const top = y + BAR;
  const thick = Math.min(14, Math.max(1.5, to - from));
  const tip = labels + 4;
  return `M${from.toFixed(1)} ${top}H${to.toFixed(1)}C${to.toFixed(1)} ${end - thick / 2} ${to.toFixed(1)} ${end - thick / 2} ${tip} ${end - thick / 2}V${end + thick / 2}C${from.toFixed(1)} ${end + thick / 2} ${from.toFixed(1)} ${end + thick / 2} ${from.toFixed(1)} ${top}Z`;
};
