import {
  memo,
  useEffect,
  useState,
  type KeyboardEvent,
  type ReactNode,
  useRef,
  type RefObject,
} from 'react';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import type { TagNames } from '../../../agent/transcript/tag-names.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { formatNumber } from '../words/format.ts';
import {
  cellAt,
  countTokens,
  moveInGrid,
  stripGrid,
  tokenAt,
  WRITERS,
  type TokenFacts,
  type StripGrid,
} from './layout.ts';
import { requestPieces, trueToken, useKnowsIds, useTagNames, visible } from './pieces.ts';
import { BY_WRITER, type ColourMode, cellsOf } from './paint.ts';
import { useSession } from '../session-store.ts';
import { createPaintQueue } from '../page/paint-queue.ts';
import { paintCells, sizedContext, SMALL_CELLS, UNKNOWN } from './paint-cells.ts';
import { paletteOf } from './palette.ts';

const queue = createPaintQueue(
  (run) => requestAnimationFrame(run),
  () => performance.now(),
);

/** Whether the element is on or near the screen. */
const useOnScreen = (element: RefObject<Element | null>): boolean => {
  const [on, setOn] = useState(false);
  useEffect(() => {
    if (!element.current) return undefined;
    const observer = new IntersectionObserver(([entry]) => setOn(entry?.isIntersecting ?? false), {
      rootMargin: '200px',
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return on;
};

/** Dependencies of a strip's drawing. */
interface StripDrawing {
  rollout: Pick<Rollout, 'segments'>;
  grid: StripGrid;
  /** CSS pixels. */
  width: number;
  until: number;
  cursor: number | null;
  scheme: string;
  mode: ColourMode;
}

/** A canvas that is only drawn while on the screen. */
const useStripCanvas = (drawing: StripDrawing): RefObject<HTMLCanvasElement | null> => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const visible = useOnScreen(canvas);
  useEffect(() => {
    const element = canvas.current;
    if (!element || !visible || drawing.width === 0) return undefined;
    queue.add(element, () => draw(element, drawing));
    return undefined;
  });
  useEffect(() => {
    const element = canvas.current;
    return () => {
      if (element) queue.drop(element);
    };
  }, []);
  return canvas;
};

const draw = (canvas: HTMLCanvasElement, drawing: StripDrawing): void => {
  const { rollout, grid, width, until, cursor, scheme, mode } = drawing;
  const context = sizedContext(canvas, width, grid.rows * grid.rowHeight);
  if (!context) return;
  const cells = [...cellsOf(rollout, mode, until)];
  paintCells(context, {
    size: SMALL_CELLS,
    columns: grid.columns,
    from: 0,
    to: cells.length,
    top: 0,
    palette: paletteOf(canvas, scheme),
    cellAt: (position) => cells[position] ?? UNKNOWN,
    cursor,
  });
};

/** Names of the writers in legends and token details. */
export const WRITER_NAMES = {
  prompt: 'prompt',
  policy: 'model',
  environment: 'environment',
  hint: 'hint from the environment',
} as const;

/** A number of a token; a policy token without it says so, a read token does not. */
const numberWords = (
  name: string,
  value: number | null,
  unit: string,
  { writer }: TokenFacts,
): string | null => {
  if (value !== null) return `${name} ${formatNumber(value)}${unit}`;
  return writer === 'policy' ? `${name} unknown` : null;
};

/**
 * @param asked the tokenizer's text of the id
 * @param names the recipe's names of the policy's tags
 */
export const describeToken = (
  facts: TokenFacts,
  asked: string | undefined,
  names?: TagNames,
): string => {
  const text = facts.text ?? asked;
  const name = text === undefined ? undefined : names?.get(text);
  const number = `${facts.text === null ? 'id' : 'piece'} ${facts.id}`;
  return [
    text === undefined ? number : `“${visible(name ?? text)}” · ${number}`,
    name === undefined || text === undefined ? null : trueToken(text),
    `${WRITER_NAMES[facts.writer]}, ${facts.role}`,
    numberWords('log-probability', facts.logprob, '', facts),
    numberWords('entropy', facts.entropy, ' nat', facts),
    facts.mask === 1 ? 'mask 1' : 'mask 0, not in the loss',
  ]
    .filter((part) => part !== null)
    .join(' · ');
};

const AdvantageLegend = () => (
  <>
    <span>
      <i className="swatch gain" aria-hidden="true" /> advantage above 0, bar up
    </span>
    <span>
      <i className="swatch loss" aria-hidden="true" /> below 0, bar down
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

/** The legend below token strips; children come after it. */
export const StripLegend = (props: { by: ColourMode['by']; children?: ReactNode }) => (
  <span className="legend">
    {props.by === 'writer' ? <WriterLegend /> : <AdvantageLegend />}
    <span>height: probability</span>
    {props.children}
  </span>
);

/** A server's text has no tokens: it is cut into pieces of similar length. */
const countWords = ({ segments }: Rollout, count: number): string =>
  segments.some((segment) => segment.tokens)
    ? `${count} pieces of text, about as many tokens`
    : `${count} tokens`;

interface TokenStripProps {
  rollout: Rollout;
  /** Later tokens are drawn as not yet happened. */
  until: number;
  onPick: (segment: number, token: number) => void;
  mode?: ColourMode;
}

/** All tokens of a rollout, one cell each; a slider for the keyboard. */
export const TokenStrip = memo((props: TokenStripProps) => {
  const { rollout, until, onPick, mode = BY_WRITER } = props;
  const { ref, width } = useElementSize();
  const scheme = useComputedColorScheme('light');
  const [cursor, setCursor] = useState<number | null>(null);
  const count = countTokens(rollout);
  const grid = stripGrid(count, width || 320);
  const height = grid.rows * grid.rowHeight;
  const facts = cursor === null ? null : tokenAt(rollout, cursor);
  const known = useKnowsIds(rollout);
  const names = useTagNames(rollout);
  const text = useSession((state) => (facts && known ? state.pieces[facts.id] : undefined));

  const canvas = useStripCanvas({ rollout, grid, width, until, cursor, scheme, mode });
  const id = known && facts?.text === null ? facts.id : undefined;
  useEffect(() => {
    if (id !== undefined) void requestPieces([id]);
  }, [id]);

  const pick = () => facts && onPick(facts.segment, facts.token);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') pick();
    const next = moveInGrid(event.key, cursor ?? -1, count, grid.columns);
    if (next === null || count === 0) return;
    event.preventDefault();
    event.stopPropagation();
    setCursor(next);
  };
  const label = facts ? describeToken(facts, text, names) : countWords(rollout, count);

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
