import { memo, useEffect, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import type { Rollout } from '../../data/rollout.ts';
import { formatNumber } from '../lib/format.ts';
import { lab } from '../stores/connection.ts';
import { cellAt, countTokens, stripGrid, tokenAt, WRITERS, type TokenFacts } from './layout.ts';
import { requestPieces, usePieces, visible } from './pieces.ts';
import { BY_WRITER, type ColourMode } from './paint.ts';
import { useStripCanvas } from './use-strip-canvas.ts';

export const WRITER_NAMES = {
  prompt: 'prompt',
  policy: 'policy',
  environment: 'environment',
  hint: 'hint of the environment',
} as const;

export const describeToken = (facts: TokenFacts, text: string | undefined): string =>
  [
    text === undefined ? `id ${facts.id}` : `“${visible(text)}” · id ${facts.id}`,
    `${WRITER_NAMES[facts.writer]}, ${facts.role}`,
    facts.logprob === null ? null : `log-probability ${formatNumber(facts.logprob)}`,
    facts.entropy === null ? null : `entropy ${formatNumber(facts.entropy)} nat`,
    facts.mask === 1 ? 'mask 1' : 'mask 0, not in the loss',
  ]
    .filter((part) => part !== null)
    .join(' · ');

const AdvantageLegend = () => (
  <>
    <span>
      <i className="swatch gain" aria-hidden="true" /> advantage above 0, stands
    </span>
    <span>
      <i className="swatch loss" aria-hidden="true" /> below 0, hangs
    </span>
    <span>
      <i className="swatch idle" aria-hidden="true" /> not in the loss
    </span>
  </>
);

const WriterLegend = () => (
  <>
    {WRITERS.map((writer) => (
      <span key={writer}>
        <i className={`swatch who-${writer}`} aria-hidden="true" /> {writer}
      </span>
    ))}
    <span>
      <i className="swatch hatched" aria-hidden="true" /> masked
    </span>
  </>
);

export const StripLegend = (props: { by: ColourMode['by']; children?: ReactNode }) => (
  <span className="legend">
    {props.by === 'writer' ? <WriterLegend /> : <AdvantageLegend />}
    <span>height: probability</span>
    {props.children}
  </span>
);

const moveCursor = (key: string, at: number, count: number, columns: number): number | null => {
  const moves: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at + columns,
    ArrowUp: at - columns,
    Home: 0,
    End: count - 1,
  };
  const next = moves[key];
  return next === undefined ? null : Math.max(0, Math.min(count - 1, next));
};

interface TokenStripProps {
  rollout: Rollout;
  /** Tokens from here on are drawn as not yet happened. */
  until: number;
  onPick: (segment: number, token: number) => void;
  mode?: ColourMode;
}

/** All tokens of a rollout, one cell each; a slider for people who use keys. */
export const TokenStrip = memo((props: TokenStripProps) => {
  const { rollout, until, onPick, mode = BY_WRITER } = props;
  const { ref, width } = useElementSize();
  const scheme = useComputedColorScheme('light');
  const [cursor, setCursor] = useState<number | null>(null);
  const count = countTokens(rollout);
  const grid = stripGrid(count, width || 320);
  const height = grid.rows * grid.rowHeight;
  const facts = cursor === null ? null : tokenAt(rollout, cursor);
  const text = usePieces((state) => (facts ? state.texts[facts.id] : undefined));

  const canvas = useStripCanvas({ rollout, grid, width, until, cursor, scheme, mode });
  const id = facts?.id;
  useEffect(() => {
    if (id !== undefined) void requestPieces([id], (ids) => lab().pieces(ids));
  }, [id]);

  const pick = () => facts && onPick(facts.segment, facts.token);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') pick();
    const next = moveCursor(event.key, cursor ?? -1, count, grid.columns);
    if (next === null || count === 0) return;
    event.preventDefault();
    event.stopPropagation();
    setCursor(next);
  };
  const label = facts ? describeToken(facts, text) : `${count} tokens`;

  return (
    <div className="strip">
      <div
        ref={ref}
        className="strip-canvas"
        style={{ height }}
        role="slider"
        tabIndex={0}
        aria-label="Tokens of this rollout"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, count - 1)}
        aria-valuenow={cursor ?? 0}
        aria-valuetext={label}
        data-scheme={scheme}
        onKeyDown={onKeyDown}
        onBlur={() => setCursor(null)}
        onClick={pick}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          setCursor(cellAt(grid, event.clientX - box.left, event.clientY - box.top, count));
        }}
        onPointerLeave={() => setCursor(null)}
      >
        <canvas ref={canvas} style={{ width: '100%', height }} />
      </div>
      <div className="strip-label fine">{label}</div>
    </div>
  );
});
