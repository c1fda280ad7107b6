import { TOKEN_COLUMNS } from '../../../../evaluate/rollouts/reading/token-table.ts';
import { formatNumber } from '../../../kit/words/format.ts';
import { writerName, WRITERS } from '../../../kit/tokens/layout.ts';
import { KEY_NATS } from './token-key.ts';
import { strengthOfNats, type TokenColour, type TokenScale } from './token-paint.ts';

const WriterLegend = () => (
  <>
    {WRITERS.map((writer) => (
      <span key={writer}>
        <i className={`swatch who-${writer}`} aria-hidden="true" /> {writerName(writer)}
      </span>
    ))}
    <span>
      <i className="swatch hatched" aria-hidden="true" /> mask 0
    </span>
  </>
);

const MaskLegend = () => (
  <>
    <span>
      <i className="swatch who-policy" aria-hidden="true" /> trained
    </span>
    <span>
      <i className="swatch hatched" aria-hidden="true" /> mask 0
    </span>
    <span>
      <i className="swatch idle" aria-hidden="true" /> low: not in the file
    </span>
  </>
);

/** The ends of a scale. With a middle, cells above it stand and cells below it hang. */
const ScaleLegend = ({ scale, unit }: { scale: TokenScale; unit: string }) => {
  const { low, high, middle } = scale;
  return middle === null ? (
    <>
      <span>
        <i className="swatch scale-low" aria-hidden="true" /> low: {formatNumber(low)} {unit}
      </span>
      <span>
        <i className="swatch who-policy" aria-hidden="true" /> high: {formatNumber(high)} {unit}
      </span>
    </>
  ) : (
    <>
      {high > middle ? (
        <span>
          <i className="swatch gain" aria-hidden="true" /> stands: {formatNumber(middle)} to{' '}
          {formatNumber(high)} {unit}
        </span>
      ) : null}
      {low < middle ? (
        <span>
          <i className="swatch loss" aria-hidden="true" /> hangs: {formatNumber(middle)} to{' '}
          {formatNumber(low)} {unit}
        </span>
      ) : null}
      <span>
        <i className="swatch idle" aria-hidden="true" /> {formatNumber(middle)}, or no number
      </span>
    </>
  );
};

/**
 * Sample nats with their colours; the scale is the same for all rollouts. Log-probabilities are
 * negative nats.
 */
const NatsLegend = ({ by, unit }: { by: TokenColour; unit: string }) => {
  const sign = by === 'entropy' ? '' : '−';
  return (
    <>
      <span>{by === 'entropy' ? 'certain' : 'likely'}: 0</span>
      {KEY_NATS.map((nats) => (
        <span key={nats}>
          <i
            className="swatch who-policy"
            style={{ opacity: strengthOfNats(nats) }}
            aria-hidden="true"
          />{' '}
          {sign}
          {nats}
        </span>
      ))}
      <span>{unit}, log scale</span>
    </>
  );
};

/**
 * The legend next to the colour menu.
 * @param props.scale null for colours that are not numbers, or a missing column
 */
export const TokenLegend = ({ by, scale }: { by: TokenColour; scale: TokenScale | null }) => (
  <span className="legend">
    {by === 'writer' ? (
      <WriterLegend />
    ) : by === 'mask' ? (
      <MaskLegend />
    ) : scale?.curve === 'nats' ? (
      <NatsLegend by={by} unit={TOKEN_COLUMNS[by].unit} />
    ) : scale ? (
      <ScaleLegend scale={scale} unit={TOKEN_COLUMNS[by].unit} />
    ) : null}
  </span>
);
