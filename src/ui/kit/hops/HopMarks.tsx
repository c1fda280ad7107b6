import { HOP_NAMES, type HopState } from '../../../evaluate/rollouts/hops.ts';
import './hops.css';

/** The hop map in a table cell: a mark per hop, filled if its passage was retrieved. */

/** CSS pixels of a mark. */
const SIZE = 14;
const MIDDLE = SIZE / 2;

const Mark = ({ state }: { state: HopState }) => (
  <g className={`hop hop-${state}`}>
    <circle cx={MIDDLE} cy={MIDDLE} r={5} className="hop-box" />
    {state === 'misread' ? <path className="hop-cut" d="M4.5 4.5l5 5m0-5l-5 5" /> : null}
    {state === 'read' ? <path className="hop-cut" d="M4.3 7.2l2 2 3.4-4" /> : null}
    {state === 'wrong-source' ? <path className="hop-line" d="M3.5 10.5l7-7" /> : null}
  </g>
);

/** Marks that a cell has room for. */
const MOST = 6;

/** The states of a chain as marks; those beyond six are counted. Screen readers get all as text. */
export const HopMarks = ({ states }: { states: readonly HopState[] }) => {
  const shown = states.slice(0, MOST);
  const words = states.map((state, i) => `hop ${i + 1} ${HOP_NAMES[state]}`).join(', ');
  return (
    <span role="img" aria-label={words} title={words} className="hop-marks">
      <svg width={shown.length * (SIZE + 2)} height={SIZE} aria-hidden="true">
        {shown.map((state, i) => (
          <g key={i} transform={`translate(${i * (SIZE + 2)} 0)`}>
            <Mark state={state} />
          </g>
        ))}
      </svg>
      {states.length > MOST ? ` +${states.length - MOST}` : ''}
    </span>
  );
};
