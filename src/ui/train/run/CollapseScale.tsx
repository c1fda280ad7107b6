import { COLLAPSE_RATIO, collapseText, type RewardSettings } from '../../../agent/router/reward.ts';

/** The scale ends here; a larger ratio is at its end. */
const END = 2;
/** From the left end, as CSS has it. */
const placeOf = (ratio: number): string => `${(Math.min(END, ratio) / END) * 100}%`;

/** β1/β2 beside the 5/6 line: on which side of it the printed reward collapses. */
export const CollapseScale = ({ mode }: { mode: RewardSettings }) => {
  // Without a factor of information only latency counts.
  const ratio = mode.beta2 === 0 ? Infinity : mode.beta1 / mode.beta2;
  return (
    <figure className="collapse" aria-label={`Printed router reward: ${collapseText(mode)}`}>
      <span className="fine">always web</span>
      <span className="collapse-scale" aria-hidden="true">
        <i className="collapse-line" style={{ left: placeOf(COLLAPSE_RATIO) }}>
          <span>5/6</span>
        </i>
        <i className="collapse-now" style={{ left: placeOf(ratio) }} />
      </span>
      <span className="fine">always local</span>
      <figcaption>
        {collapseText(mode)}.{' '}
        <span className="fine">
          The printed reward, equations (20) to (22), does not look at the question; the router
          collapses to one side of the 5/6 line.
        </span>
      </figcaption>
    </figure>
  );
};
