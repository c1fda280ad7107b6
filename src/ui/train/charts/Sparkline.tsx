import { envelopeBuckets, type Point } from '../../kit/charts/downsample.ts';

/** CSS pixels. */
const WIDTH = 88;
const HEIGHT = 22;
const PAD = 2;

/** A line without axes, from its lowest to its highest value; what it says is as text beside it. */
export const Sparkline = ({ points, name }: { points: readonly Point[]; name: string }) => {
  // Few enough points for so few pixels: tables draw one of these a row.
  const drawn = envelopeBuckets(points, WIDTH / 2);
  const [first, last] = [drawn[0], drawn.at(-1)];
  // One point is not a line.
  if (!first || !last || drawn.length < 2) return null;
  const values = drawn.map(({ y }) => y);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const placeX = (x: number) =>
    PAD + ((x - first.x) / Math.max(1e-9, last.x - first.x)) * (WIDTH - 2 * PAD);
  const placeY = (y: number) =>
    high === low ? HEIGHT / 2 : HEIGHT - PAD - ((y - low) / (high - low)) * (HEIGHT - 2 * PAD);
  return (
    <svg
      className="sparkline"
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={name}
    >
      <polyline
        points={drawn
          .map(({ x, y }) => `${placeX(x).toFixed(1)},${placeY(y).toFixed(1)}`)
          .join(' ')}
      />
      <circle cx={placeX(last.x)} cy={placeY(last.y)} r={2} />
    </svg>
  );
};
