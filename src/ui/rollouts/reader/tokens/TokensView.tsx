import { useComputedColorScheme } from '@mantine/core';
import { Select } from '../../../kit/Select.tsx';
import { useCallback, useMemo, useRef, useState } from 'react';
import {
  MOST_PIECES,
  TOKEN_COLUMNS,
  tokenTable,
  withOutcome,
  type TokenTable,
} from '../../../../evaluate/rollouts/reading/token-table.ts';
import { tokenBlocks } from '../../../../evaluate/rollouts/reading/token-blocks.ts';
import type { Reading } from '../../../../lab/contract/rollouts.ts';
import { SaveButtons } from '../../../kit/charts/picture/SaveButtons.tsx';
import { paletteOf } from '../../../kit/tokens/palette.ts';
import { distributionWords } from '../../../kit/words/distribution-words.ts';
import { formatCount } from '../../../kit/words/format.ts';
import { useAnswer } from '../../../kit/use-answer.ts';
import { rollouts } from '../store/api.ts';
import { settingsFor, settingsSource, settingsWords } from '../store/settings.ts';
import { TokenCanvas, type TokenRange } from './TokenCanvas.tsx';
import { RangeFacts, TokenFacts } from './TokenFacts.tsx';
import { TokenLegend } from './TokenLegend.tsx';
import { TokenRows } from './TokenRows.tsx';
import { TokenText } from './TokenText.tsx';
import { scaleOf, type TokenColour } from './token-paint.ts';
import { MOST_DRAWN, tokenPicture } from './token-picture.ts';
import { COLUMN_IDS, tokenWords } from './token-words.ts';
import { missingWords, useTokenTexts } from './use-token-texts.ts';

/**
 * Token weights from the group’s rewards, with the run's or default settings; outcome is null while
 * unavailable.
 */
const useOutcome = ({ file, row, rollout, loss }: Reading) => {
  const credit = useAnswer(`${file.id} ${rollout.id}`, () =>
    rollouts().tokenCredit(file.id, row.row.group, rollout.id, settingsFor(loss)),
  );
  if (credit.state !== 'ready') return { state: credit.state, outcome: null, cannot: [] };
  return { state: 'ready', ...credit.value };
};

/** Number of tokens; says if white-space pieces are shown instead. */
const kindWords = (table: TokenTable): string => {
  const count = formatCount(table.count);
  const more = table.more ? `Only the first ${formatCount(MOST_PIECES)} pieces are shown.` : '';
  if (table.kind === 'pieces')
    return `The file has no tokens: ${count} pieces between white space are shown instead.${more}`;
  const mixed = table.mixed
    ? ' Segments without tokens are cut at white space; those pieces have no numbers.'
    : '';
  return `${count} tokens.${mixed}${more}`;
};

/** The range of the address, cut to the existing tokens; null if it starts after them. */
const isRange = (range: TokenRange | null, count: number): TokenRange | null =>
  range && range.from < count ? { from: range.from, to: Math.min(range.to, count - 1) } : null;

/** Label of a colour option. */
const colourName = (by: TokenColour): string =>
  by === 'writer' ? 'who wrote it' : by === 'mask' ? 'loss mask' : TOKEN_COLUMNS[by].name;

/** Missing columns are listed but disabled. */
const ColourMenu = (props: {
  table: TokenTable;
  by: TokenColour;
  setBy: (by: TokenColour) => void;
}) => (
  <Select
    size="xs"
    aria-label="Colour tokens by"
    value={props.by}
    onChange={(event) => props.setBy(event.currentTarget.value as TokenColour)}
    data={[
      ...(['writer', 'mask'] as const).map((value) => ({ value, label: colourName(value) })),
      ...COLUMN_IDS.map((name) => ({
        value: name,
        label: `${colourName(name)}${props.table.columns[name] ? '' : ' (not available)'}`,
        disabled: !props.table.columns[name],
      })),
    ]}
  />
);

/** Saves the selected tokens as a picture; without a range the first `MOST_DRAWN`. */
const SaveTokens = (props: {
  reading: Reading;
  table: TokenTable;
  by: TokenColour;
  range: TokenRange | null;
}) => {
  const { reading, table, by, range } = props;
  const scheme = useComputedColorScheme('light');
  const title = `Tokens of ${reading.rollout.id} by ${colourName(by)}`;
  const make = () => {
    const style = getComputedStyle(document.documentElement);
    const whole = { from: 0, to: table.count - 1 };
    return tokenPicture({
      table,
      segments: reading.rollout.segments,
      by,
      range: range && range.to > range.from ? range : whole,
      palette: paletteOf(document.documentElement, scheme),
      ink: style.getPropertyValue('--text').trim(),
      paper: style.getPropertyValue('--panel').trim(),
      title,
    });
  };
  return (
    <SaveButtons
      what="Tokens"
      title={title}
      hint={`The chosen tokens, or the first ${formatCount(MOST_DRAWN)}`}
      make={make}
    />
  );
};

interface TokensViewProps {
  reading: Reading;
  range: TokenRange | null;
  onRange: (range: TokenRange | null) => void;
}

/**
 * The tokens of a rollout: the strip, its text or table, and the numbers at the cursor. The range is
 * in the address, so that links can point at tokens; colour and cursor are local.
 */
export const TokensView = ({ reading: given, range: addressRange, onRange }: TokensViewProps) => {
  const { reading, spelled } = useTokenTexts(given);
  const { rollout } = reading;
  const { state, outcome, cannot } = useOutcome(given);
  // The table appears at once; weights are added when the group is loaded.
  const plain = useMemo(() => tokenTable(rollout), [rollout]);
  const table = useMemo(() => (outcome ? withOutcome(plain, outcome) : plain), [plain, outcome]);
  const blocks = useMemo(() => tokenBlocks(plain, rollout.segments), [plain, rollout]);
  const [by, setBy] = useState<TokenColour>('writer');
  const [rows, setRows] = useState(false);
  const [hovered, setHovered] = useState<number | null>(null);
  const range = isRange(addressRange, table.count);
  const [reveal, setReveal] = useState<{ at: number } | null>(range ? { at: range.from } : null);
  const [seen, setSeen] = useState<TokenRange | null>(null);
  const shown = useRef(seen);
  // Keys can move the cursor out of the visible text, which then scrolls.
  const walk = useCallback((at: number | null) => {
    setHovered(at);
    const on = shown.current;
    if (at !== null && on && (at < on.from || at > on.to)) setReveal({ at });
  }, []);
  const onWindow = useCallback((on: TokenRange) => {
    shown.current = on;
    setSeen(on);
  }, []);
  // A range of one token: its numbers are shown at once.
  const at = hovered ?? (range && range.from === range.to ? range.from : null);
  const words = at === null ? `${table.count} tokens` : tokenWords(table, rollout.segments, at);
  const lacking = COLUMN_IDS.filter((name) => !table.columns[name]);
  // Weights are computed unless the file has advantages per token; the page then names the settings.
  const computed = !rollout.segments.some((segment) => segment.advantages) && outcome !== null;
  const missing = missingWords(spelled);
  return (
    <div className="tokens-view">
      <div className="reader-bar">
        <ColourMenu table={table} by={by} setBy={setBy} />
        <TokenLegend by={by} scale={scaleOf(table, by)} />
        <span className="grow" />
        <button
          type="button"
          className="link"
          aria-pressed={rows}
          onClick={() => setRows((before) => !before)}
        >
          table
        </button>
        <SaveTokens reading={reading} table={table} by={by} range={range} />
      </div>
      {missing === null ? null : (
        <p className="token-missing" role="status">
          {missing}
        </p>
      )}
      <p className="fine">{kindWords(table)}</p>
      <TokenCanvas
        table={table}
        segments={rollout.segments}
        by={by}
        cursor={at}
        range={range}
        seen={seen}
        label="Tokens of this rollout"
        words={words}
        onCursor={setHovered}
        onReveal={(token) => setReveal({ at: token })}
        onRange={onRange}
        tallest={100}
      />
      <div className="token-main">
        {rows ? (
          <TokenRows table={table} segments={rollout.segments} cursor={at} />
        ) : (
          <TokenText
            table={table}
            segments={rollout.segments}
            blocks={blocks}
            by={by}
            cursor={at}
            range={range}
            reveal={reveal}
            words={words}
            onCursor={walk}
            onRange={onRange}
            onWindow={onWindow}
          />
        )}
        <div className="token-aside">
          {range && range.to > range.from ? (
            <RangeFacts table={table} range={range} clear={() => onRange(null)} />
          ) : null}
          <TokenFacts table={table} reading={reading} at={at} />
        </div>
      </div>
      {rollout.policy && table.columns.logprob ? (
        <p className="fine">
          Log-probabilities and entropies are of {distributionWords(rollout.policy)}.
        </p>
      ) : null}
      {computed ? (
        <p className="fine">
          Weights{rollout.advantage === null ? ', advantages' : ''} and updates are computed from
          the group’s rewards with {settingsSource(reading.loss)}:{' '}
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
