import { NativeSelect } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { isOwnRollout } from '../../../../formats/rollouts/shape/imported.ts';
import {
  MOST_PIECES,
  TOKEN_COLUMNS,
  tokenTable,
  withOutcome,
  type TokenTable,
} from '../../../../evaluate/rollouts/reading/token-table.ts';
import type { Reading } from '../../../../lab/contract/rollouts.ts';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { distributionWords } from '../../../kit/words/distribution-words.ts';
import { formatCount, formatNumber } from '../../../kit/words/format.ts';
import { requestPieces, usePieces } from '../../../kit/tokens/pieces.ts';
import { rollouts } from '../store/api.ts';
import { tokensOf } from '../../../../records/built-in-forms.ts';
import { useNeeds } from '../../../lab/use-needs.ts';
import { useAnswer } from '../../../kit/use-answer.ts';
import { settingsFor, settingsSource, settingsWords } from '../store/settings.ts';
import { TokenCanvas, type TokenRange } from './TokenCanvas.tsx';
import { TokenLegend } from './TokenLegend.tsx';
import { scaleOf, type TokenColour } from './token-paint.ts';
import { COLUMN_IDS, maskWords, tokenText, tokenWords } from './token-words.ts';

/** Weights that follow from the group's rewards under the run's settings, or the usual ones. */
const useOutcome = ({ file, row, rollout, loss }: Reading) => {
  const group = useAnswer(`${file.id} ${rollout.groupId}`, () =>
    rollouts().group(file.id, row.row.group, settingsFor(loss)),
  );
  if (group.state !== 'ready') return { state: group.state, outcome: null, cannot: [] };
  const outcome = group.value?.credit.side.rollouts.find(({ id }) => id === rollout.id) ?? null;
  return { state: 'ready', outcome, cannot: group.value?.credit.side.cannot ?? [] };
};

/** Texts of ids, asked of the built-in policy where the rollout is its own. */
const useTexts = (
  { rollout }: Reading,
  table: TokenTable,
  at: number | null,
  range: TokenRange | null,
) => {
  // Its tokenizer spells the ids that the policy wrote.
  useNeeds(...(isOwnRollout(rollout) && table.kind !== 'pieces' ? ['policy' as const] : []));
  const policy = usePieces((state) => state.policyId);
  const known = isOwnRollout(rollout) && tokensOf(rollout.policy) === policy;
  const from = range ? range.from : at;
  // A chosen range may be a whole trace; the first tokens are spelled and the rest are counted.
  const to = range ? Math.min(range.to, range.from + 400) : at;
  useEffect(() => {
    if (!known || from === null || to === null) return;
    const ids = [...table.ids.slice(from, to + 1), ...(at === null ? [] : [table.ids[at]!])];
    void requestPieces(ids.filter((id) => id >= 0));
  }, [known, table, from, to, at]);
  const texts = usePieces((state) => state.texts);
  return (token: number): string | undefined => (known ? texts[table.ids[token]!] : undefined);
};

/**
 * What the tokens are: tokens with texts, ids alone, or pieces of text cut at white space because
 * the file has no tokens at all.
 */
const kindWords = (table: TokenTable): string => {
  const count = formatCount(table.count);
  const more = table.more ? ` The text goes on after ${formatCount(MOST_PIECES)} pieces.` : '';
  if (table.kind === 'pieces')
    return `The file has no tokens: ${count} pieces between white space are shown in their place.${more}`;
  const mixed = table.mixed
    ? ' Segments without tokens are cut at white space; those pieces have no numbers.'
    : '';
  const ids = table.kind === 'ids' ? ' The file gives ids, not texts.' : '';
  return `${count} tokens.${ids}${mixed}${more}`;
};

/** Every number of one token; what is not there says why. */
const TokenFacts = (props: {
  table: TokenTable;
  reading: Reading;
  at: number | null;
  text: string | undefined;
}) => {
  const { table, reading, at, text } = props;
  if (at === null)
    return (
      <p className="fine">
        Point at a token, or walk with the arrow keys, for its numbers. Drag, or walk with Shift, to
        choose a range.
      </p>
    );
  const segment = reading.rollout.segments[table.segment[at]!]!;
  return (
    <dl className="pairs token-facts">
      <dt>token</dt>
      <dd>
        <b className="mono">{tokenText(table, at, text)}</b> · number {formatCount(at)}
      </dd>
      <dt>id</dt>
      <dd>{table.ids[at]! < 0 ? 'not in the file' : table.ids[at]}</dd>
      <dt>written by</dt>
      <dd>
        {segment.source}, {segment.role}
      </dd>
      <dt>loss mask</dt>
      <dd>{maskWords(table.mask[at]!)}</dd>
      {COLUMN_IDS.map((name) => {
        const column = table.columns[name];
        const value = column?.[at];
        const known = value !== undefined && !Number.isNaN(value);
        return (
          <div key={name} className="pair-row">
            <dt>{TOKEN_COLUMNS[name].name}</dt>
            <dd className={known ? '' : 'fine'}>
              {known
                ? `${formatNumber(value)} ${TOKEN_COLUMNS[name].unit}`
                : column
                  ? 'not for this token'
                  : `not available: ${table.lacks[name]}`}
            </dd>
          </div>
        );
      })}
    </dl>
  );
};

/** Sum over a range of the values that are there; null where the file has no such column. */
const sumOf = (column: Float64Array | undefined, { from, to }: TokenRange): number | null => {
  if (!column) return null;
  let sum = 0;
  for (let i = from; i <= to; i++) if (!Number.isNaN(column[i])) sum += column[i]!;
  return sum;
};

/** A chosen stretch of tokens: its text and the sums over it, to be quoted or compared. */
const RangeFacts = (props: {
  table: TokenTable;
  range: TokenRange;
  textOf: (at: number) => string | undefined;
  clear: () => void;
}) => {
  const { table, range, textOf, clear } = props;
  const count = range.to - range.from + 1;
  const shown = Math.min(count, 400);
  const text = Array.from({ length: shown }, (_, i) =>
    tokenText(table, range.from + i, textOf(range.from + i)),
  );
  const { logprob, entropy, push } = table.columns;
  const sum = sumOf(logprob, range);
  const uncertainty = sumOf(entropy, range);
  const pushed = sumOf(push, range);
  return (
    <section className="range" aria-label="Chosen tokens">
      <p>
        <b>
          Tokens {formatCount(range.from)} to {formatCount(range.to)}
        </b>{' '}
        <span className="fine">
          {formatCount(count)} of {formatCount(table.count)} · sum of log-probabilities{' '}
          {formatNumber(sum)} · mean entropy{' '}
          {formatNumber(uncertainty === null ? null : uncertainty / count)} · sum of pushes{' '}
          {formatNumber(pushed)}
        </span>{' '}
        <CopyButton label="copy the link" text={() => location.href} />{' '}
        <CopyButton
          label="copy the tokens"
          text={() =>
            Array.from({ length: count }, (_, i) => {
              const at = range.from + i;
              return table.texts[at] ?? textOf(at) ?? `#${table.ids[at]} `;
            }).join('')
          }
        />{' '}
        <button type="button" className="link" onClick={clear}>
          choose none
        </button>
      </p>
      <p className="range-text">
        {text.join('')}
        {count > shown ? ` … and ${formatCount(count - shown)} more` : ''}
      </p>
    </section>
  );
};

const isRange = (range: TokenRange | null, count: number): TokenRange | null =>
  range && range.from < count ? { from: range.from, to: Math.min(range.to, count - 1) } : null;

interface TokensViewProps {
  reading: Reading;
  range: TokenRange | null;
  onRange: (range: TokenRange | null) => void;
}

/**
 * Every token as a cell, coloured by one of its numbers. The range is in the address (a permalink
 * to a few tokens), the colour and the token under the pointer are not.
 */
export const TokensView = ({ reading, range: wanted, onRange }: TokensViewProps) => {
  const { rollout } = reading;
  const { state, outcome, cannot } = useOutcome(reading);
  // Two steps, because the weights come later: the table is there at once and gains columns.
  const plain = useMemo(() => tokenTable(rollout), [rollout]);
  const table = useMemo(() => (outcome ? withOutcome(plain, outcome) : plain), [plain, outcome]);
  const [by, setBy] = useState<TokenColour>('writer');
  const [hovered, setHovered] = useState<number | null>(null);
  const range = isRange(wanted, table.count);
  // A range of one token is a token that was chosen by an address; it is explained without a
  // pointer.
  const at = hovered ?? (range && range.from === range.to ? range.from : null);
  const textOf = useTexts(reading, table, at, range);
  const words =
    at === null ? `${table.count} tokens` : tokenWords(table, rollout.segments, at, textOf(at));
  const lacking = COLUMN_IDS.filter((name) => !table.columns[name]);
  // Own numbers of the file are shown as they are; what is computed here says under which settings.
  const computed = !rollout.segments.some((segment) => segment.advantages) && outcome !== null;
  return (
    <div className="tokens-view">
      <div className="reader-bar">
        <NativeSelect
          size="xs"
          aria-label="Colour tokens by"
          value={by}
          onChange={(event) => setBy(event.currentTarget.value as TokenColour)}
          data={[
            { value: 'writer', label: 'who wrote it' },
            { value: 'mask', label: 'loss mask' },
            ...COLUMN_IDS.map((name) => ({
              value: name,
              label: `${TOKEN_COLUMNS[name].name}${table.columns[name] ? '' : ' (not available)'}`,
              disabled: !table.columns[name],
            })),
          ]}
        />
        <TokenLegend by={by} scale={scaleOf(table, by)} />
      </div>
      <p className="fine">{kindWords(table)}</p>
      <TokenCanvas
        table={table}
        segments={rollout.segments}
        by={by}
        cursor={at}
        range={range}
        label="Tokens of this rollout"
        words={words}
        onCursor={setHovered}
        onRange={onRange}
      />
      {range && range.to > range.from ? (
        <RangeFacts table={table} range={range} textOf={textOf} clear={() => onRange(null)} />
      ) : null}
      <TokenFacts
        table={table}
        reading={reading}
        at={at}
        text={at === null ? undefined : textOf(at)}
      />
      {rollout.policy && table.columns.logprob ? (
        <p className="fine">
          Log-probabilities and entropies are of {distributionWords(rollout.policy)}.
        </p>
      ) : null}
      {computed ? (
        <p className="fine">
          Weights{rollout.advantage === null ? ', advantages' : ''} and pushes are computed from the
          rewards of the group under {settingsSource(reading.loss)}:{' '}
          {settingsWords(settingsFor(reading.loss))}. Change them under “What if”.
        </p>
      ) : null}
      {lacking.length > 0 ? (
        <details className="lacking">
          <summary>
            Not available: {lacking.map((name) => TOKEN_COLUMNS[name].name).join(', ')}
          </summary>
          <ul>
            {lacking.map((name) => (
              <li key={name}>
                {TOKEN_COLUMNS[name].name}: {table.lacks[name]}
              </li>
            ))}
            {cannot.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
          {state === 'loading' ? <p className="fine">The group is still being read …</p> : null}
        </details>
      ) : null}
    </div>
  );
};
