import { ENDS, type End, type Flow } from '../../../evaluate/rollouts/why.ts';

/** The flow asked → found → read → answered as a drawing: every width is a count on one scale. */

type Loss = Exclude<End, 'right'>;

/** A bar of the drawing: rollouts that came this far. CSS pixels. */
export interface FlowStage {
  name: string;
  count: number;
  y: number;
  width: number;
  /** What did not come through to the next stage. */
  lost: { end: Loss; name: string; count: number; from: number; to: number; y: number } | null;
}

/** The drawing at a width, CSS pixels. */
export interface FlowLayout {
  stages: FlowStage[];
  height: number;
  /** Where the names of what was lost begin. */
  labels: number;
}

/** Height of a stage’s bar, CSS pixels; stages lie `STEP` apart. */
export const BAR = 16;
const STEP = 62;
/** Room for the names of what was lost. */
const LABELS = 172;

/** @param width of the drawing, CSS pixels */
export function flowLayout(flow: Flow, width: number): FlowLayout {
  const labels = Math.max(90, width - LABELS);
  const scale = flow.all === 0 ? 0 : labels / flow.all;
  const counts: [name: string, count: number, lost: Loss | null][] = [
    [flow.all === 1 ? 'rollout' : 'rollouts', flow.all, 'not-asked'],
    ['asked for', flow.asked, 'not-found'],
    ['found', flow.found, 'not-read'],
    ['read', flow.read, 'not-answered'],
    ['right', flow.right, null],
  ];
  return {
    labels,
    height: (counts.length - 1) * STEP + BAR + 22,
    stages: counts.map(([name, count, end], i) => {
      const next = counts[i + 1]?.[1] ?? 0;
      return {
        name,
        count,
        y: i * STEP + 18,
        width: count * scale,
        lost:
          end === null || flow.lost[end] === 0
            ? null
            : {
                end,
                name: ENDS[end],
                count: flow.lost[end],
                from: next * scale,
                to: count * scale,
                y: i * STEP + 18 + STEP / 2 + 8,
              },
      };
    }),
  };
}

/** What goes on, straight down. */
export const bandPath = ({ y, width }: FlowStage, next: FlowStage): string => {
  const through = Math.min(width, next.width);
  return `M0 ${y + BAR}H${through.toFixed(1)}V${next.y}H0Z`;
};

/** What is lost, turning aside; as thick on its way as the stage is wide there. */
export const lossPath = (
  { y }: FlowStage,
  { from, to, y: end }: NonNullable<FlowStage['lost']>,
  labels: number,
): string => {
  const top = y + BAR;
  const thick = Math.min(14, Math.max(1.5, to - from));
  const tip = labels + 4;
  return `M${from.toFixed(1)} ${top}H${to.toFixed(1)}C${to.toFixed(1)} ${end - thick / 2} ${to.toFixed(1)} ${end - thick / 2} ${tip} ${end - thick / 2}V${end + thick / 2}C${from.toFixed(1)} ${end + thick / 2} ${from.toFixed(1)} ${end + thick / 2} ${from.toFixed(1)} ${top}Z`;
};
