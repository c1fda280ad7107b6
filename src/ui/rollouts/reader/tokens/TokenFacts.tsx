import { meanOrNull } from '../../../../base/statistics.ts';
import type { TokenTable } from '../../../../evaluate/rollouts/reading/token-table.ts';
import { TOKEN_COLUMNS } from '../../../../evaluate/rollouts/reading/token-table.ts';
import type { Reading } from '../../../../lab/contract/rollouts.ts';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { formatCount, formatNumber } from '../../../kit/words/format.ts';
import type { TokenRange } from './TokenCanvas.tsx';
import { writerName } from '../../../kit/tokens/layout.ts';
import { COLUMN_IDS, maskWords, renamedToken, tokenText } from './token-words.ts';

/** Numbers of a token, and sums over a range. */

/** All numbers of one token. Columns that the file lacks are omitted; a missing number is stated. */
export const TokenFacts = (props: { table: TokenTable; reading: Reading; at: number | null }) => {
  const { table, reading, at } = props;
  if (at === null)
    return (
      <p className="fine">
        Point at a token, or use the arrow keys, to see its numbers. Drag, or use Shift and the
        arrow keys, to select a range.
      </p>
    );
  const segment = reading.rollout.segments[table.segment[at]!]!;
  const renamed = renamedToken(table, at);
  return (
    <dl className="token-facts">
      <dt>token</dt>
      <dd>
        <b className="mono">{tokenText(table, at)}</b> · number {formatCount(at)}
        {renamed === undefined ? '' : ` · ${renamed}`}
      </dd>
      <dt>id</dt>
      <dd>{table.ids[at]! < 0 ? 'not in the file' : table.ids[at]}</dd>
      <dt>written by</dt>
      <dd>
        {writerName(segment.source)}, {segment.role}
      </dd>
      <dt>loss mask</dt>
      <dd>{maskWords(table.mask[at]!)}</dd>
      {COLUMN_IDS.map((name) => {
        const value = table.columns[name]?.[at];
        if (value === undefined) return null;
        const known = !Number.isNaN(value);
        return (
          <div key={name}>
            <dt>{TOKEN_COLUMNS[name].name}</dt>
            <dd className={known ? '' : 'fine'}>
              {known ? `${formatNumber(value)} ${TOKEN_COLUMNS[name].unit}` : 'not for this token'}
            </dd>
          </div>
        );
      })}
    </dl>
  );
};

/** Numbers over a range. Tokens without one are skipped, because many columns only have policy tokens. */
const numbersIn = (column: Float64Array | undefined, { from, to }: TokenRange): Float64Array =>
  (column ?? new Float64Array()).subarray(from, to + 1).filter((value) => !Number.isNaN(value));

/** Null without numbers, because a sum of 0 would look measured. */
const sumOf = (numbers: Float64Array): number | null =>
  numbers.length === 0 ? null : numbers.reduce((sum, value) => sum + value, 0);

/** A selected range: text, sums, and copy buttons. */
export const RangeFacts = (props: { table: TokenTable; range: TokenRange; clear: () => void }) => {
  const { table, range, clear } = props;
  const count = range.to - range.from + 1;
  const shown = Math.min(count, 400);
  const text = Array.from({ length: shown }, (_, i) => tokenText(table, range.from + i));
  const { logprob, entropy, push } = table.columns;
  return (
    <section className="range" aria-label="Chosen tokens">
      <p>
        <b>
          Tokens {formatCount(range.from)} to {formatCount(range.to)}
        </b>{' '}
        <span className="fine">
          {formatCount(count)} of {formatCount(table.count)} · sum of log-probabilities{' '}
          {formatNumber(sumOf(numbersIn(logprob, range)))} · mean entropy{' '}
          {formatNumber(meanOrNull(numbersIn(entropy, range)))} · sum of updates{' '}
          {formatNumber(sumOf(numbersIn(push, range)))}
        </span>{' '}
        <CopyButton label="copy the link" text={() => location.href} />{' '}
        <CopyButton
          label="copy the tokens"
          text={() =>
            Array.from({ length: count }, (_, i) => {
              const at = range.from + i;
              return table.texts[at] ?? `#${table.ids[at]} `;
            }).join('')
          }
        />{' '}
        <button type="button" className="link" onClick={clear}>
          clear selection
        </button>
      </p>
      <p className="range-text">
        {text.join('')}
        {count > shown ? ` … and ${formatCount(count - shown)} more` : ''}
      </p>
    </section>
  );
};
