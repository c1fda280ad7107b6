import { outsideText } from '../../../records/outside-answer.ts';
import { endOfRow } from '../../../evaluate/rollouts/row.ts';
import { ENDS } from '../../../evaluate/rollouts/why.ts';
import { LINTS } from '../../../evaluate/rollouts/lint/finding.ts';
import { basisOf } from '../../../evaluate/rollouts/taxonomy.ts';
import { columnReader } from '../../../lab/rollouts/columns.ts';
import type { MatchingRow } from '../../../lab/contract/rollouts.ts';
import { DASH, formatNumber } from '../../kit/words/format.ts';
import type { Column } from './columns.ts';
import { outcomeName } from '../words.ts';
import { HOP_NAMES, type HopState } from '../../../evaluate/rollouts/hops.ts';
import '../../kit/hops/hops.css';

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
const HopMarks = ({ states }: { states: readonly HopState[] }) => {
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

const bit = (value: number): { sign: string; tone: string; word: string } =>
  value === 1
    ? { sign: '✓', tone: 'tone-good', word: 'yes' }
    : { sign: '✗', tone: 'tone-bad', word: 'no' };

/** Names of the findings; null for none. */
const findingNames = ({ row }: MatchingRow): string | null =>
  row.lint.length === 0 ? null : row.lint.map((code) => LINTS[code].title).join(', ');

/** Right or wrong next to the first cell, which stays visible while scrolling. */
export const OutcomeMark = ({ found }: { found: MatchingRow }) => {
  const { outcome, numbers } = found.row;
  const basis = basisOf(outcome, numbers);
  if (outcome === null || basis === null) return null;
  const { sign, tone } = bit(outcome.startsWith('right-') ? 1 : 0);
  const name = outcomeName(outcome, basis);
  return (
    <span className={`outcome-mark ${tone}`} role="img" aria-label={name} title={name}>
      {sign}
    </span>
  );
};

/** One table value; imported text is text, never markup. */
export const CellValue = ({ column, found }: { column: Column; found: MatchingRow }) => {
  const { name, kind } = column;
  if (name === 'outcome') {
    const { outcome, numbers } = found.row;
    return <>{outcomeName(outcome, basisOf(outcome, numbers))}</>;
  }
  if (name === 'hops') {
    const { hops } = found.row;
    return hops && hops.length > 0 ? (
      <HopMarks states={hops} />
    ) : (
      <span className="tone-plain">{DASH}</span>
    );
  }
  if (name === 'ended') {
    const end = endOfRow(found.row);
    return <>{end === null ? DASH : ENDS[end]}</>;
  }
  if (name === 'lint') return <>{findingNames(found) ?? DASH}</>;
  const value = columnReader(name)(found);
  if (name === 'answer' && found.row.notScored !== undefined)
    return <span className="tone-plain">not scored: {found.row.notScored}</span>;
  if (name === 'answer' && found.row.outside !== undefined)
    return <span className="tone-plain">{outsideText(found.row.outside)}</span>;
  if (value === null || value === '') return <span className="tone-plain">{DASH}</span>;
  if (kind === 'bit' && typeof value === 'number') {
    const { sign, tone, word } = bit(value);
    return (
      <span className={tone} role="img" aria-label={word}>
        {sign}
      </span>
    );
  }
  return <>{typeof value === 'number' ? formatNumber(value) : value}</>;
};

/** The uncut value. */
export const fullText = (column: Column, found: MatchingRow): string | undefined => {
  // Marks have their own labels.
  if (column.kind !== 'text' || column.name === 'hops') return undefined;
  if (column.name === 'answer' && found.row.notScored !== undefined)
    return `not scored: ${found.row.notScored}`;
  if (column.name === 'answer' && found.row.outside !== undefined)
    return outsideText(found.row.outside);
  if (column.name === 'lint') return findingNames(found) ?? undefined;
  const value = columnReader(column.name)(found);
  return typeof value === 'string' && value.length > 12 ? value.slice(0, 1000) : undefined;
};
