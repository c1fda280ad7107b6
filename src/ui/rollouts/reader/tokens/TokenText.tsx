import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef, type KeyboardEvent, type PointerEvent } from 'react';
import { blockAt, type TokenBlock } from '../../../../evaluate/rollouts/reading/token-blocks.ts';
import type { TokenTable } from '../../../../evaluate/rollouts/reading/token-table.ts';
import { revealHidden } from '../../../../evaluate/rollouts/reading/visible.ts';
import type { ImportedSegment } from '../../../../formats/rollouts/shape/imported.ts';
import { writerOf } from '../../../kit/tokens/layout.ts';
import type { TokenRange } from './TokenCanvas.tsx';
import { paintToken, scaleOf, type TokenColour, type TokenScale } from './token-paint.ts';
import { styleOfCell } from './token-style.ts';
import { renamedToken } from './token-words.ts';

/** The text, each token on its colour. Only visible blocks are rendered. */

interface BlockProps {
  table: TokenTable;
  segments: readonly ImportedSegment[];
  block: TokenBlock;
  by: TokenColour;
  scale: TokenScale | null;
  /** Null if it is in another block: a block renders only for its own tokens. */
  cursor: number | null;
  /** Selected tokens, both −1 without any in this block. */
  from: number;
  to: number;
}

/** Line breaks are also shown as ⏎, because their tokens have a colour and can be selected. */
const shownText = (text: string): string => revealHidden(text).replaceAll('\n', '⏎\n');

const Token = (props: Omit<BlockProps, 'block'> & { at: number }) => {
  const { table, segments, by, scale, cursor, from, to, at } = props;
  const cell = paintToken(table, segments, at, by, scale);
  const { className, share } = styleOfCell(cell, by === 'writer');
  const text = table.texts[at] ?? '';
  const marks = `${at === cursor ? ' cursor' : ''}${at >= from && at <= to ? ' in' : ''}${text === '' ? ' part' : ''}`;
  return (
    <span
      data-at={at}
      className={className + marks}
      title={renamedToken(table, at)}
      style={{ '--share': `${(100 * share).toFixed(1)}%` } as Record<string, string>}
    >
      {shownText(table.names.get(text) ?? text)}
    </span>
  );
};

const Block = memo((props: BlockProps) => {
  const { block, segments } = props;
  const segment = segments[block.segment];
  if (!segment) return null;
  const writer = writerOf(segment as Parameters<typeof writerOf>[0]);
  return (
    <div className={`token-block who-edge-${writer}`}>
      <span className="token-role">{block.first ? segment.role : ''}</span>
      <div className="token-words" dir="auto">
        {block.whole === null ? (
          Array.from({ length: block.to - block.from }, (_, i) => (
            <Token key={block.from + i} {...props} at={block.from + i} />
          ))
        ) : (
          <span data-at={block.from} className="tk whole">
            {shownText(block.whole)}
          </span>
        )}
      </div>
    </div>
  );
});

/** The nearest token in the line above or below, measured on the page; null if that line is not rendered. */
const inNextLine = (box: HTMLElement, at: number, down: boolean): number | null => {
  const here = box.querySelector(`[data-at="${at}"]`)?.getClientRects()[0];
  if (!here) return null;
  const middle = (here.left + here.right) / 2;
  let best: { at: number; line: number; aside: number } | null = null;
  for (const element of box.querySelectorAll<HTMLElement>('[data-at]')) {
    const rect = element.getClientRects()[0];
    if (!rect) continue;
    const line = down ? rect.top - here.top : here.top - rect.top;
    if (line < here.height / 2) continue;
    const aside = Math.abs((rect.left + rect.right) / 2 - middle);
    if (!best || line < best.line - 4 || (line < best.line + 4 && aside < best.aside))
      best = { at: Number(element.dataset['at']), line, aside };
  }
  return best?.at ?? null;
};

interface TokenTextProps {
  table: TokenTable;
  segments: readonly ImportedSegment[];
  blocks: readonly TokenBlock[];
  by: TokenColour;
  cursor: number | null;
  range: TokenRange | null;
  /** Token to scroll to; a new object scrolls again, even to the same token. */
  reveal: { at: number } | null;
  /** What the token under the cursor is, as text. */
  words: string;
  onCursor: (at: number | null) => void;
  onRange: (range: TokenRange | null) => void;
  /** Called with the visible tokens, by whole blocks. */
  onWindow: (window: TokenRange) => void;
}

/**
 * The text with a cursor that moves by token and line, and a range selected by Shift or click. Blocks
 * have different heights and are measured once rendered.
 */
export const TokenText = (props: TokenTextProps) => {
  const { table, segments, blocks, by, cursor, range, reveal, onCursor, onRange, onWindow } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const anchor = useRef<number | null>(null);
  const scale = scaleOf(table, by);
  // eslint-disable-next-line react/incompatible-library -- nothing here is memoised by a compiler
  const virtual = useVirtualizer({
    count: blocks.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const block = blocks[index];
      return 24 + 21 * Math.floor((block ? block.to - block.from : 0) / 18);
    },
    overscan: 3,
  });
  const items = virtual.getVirtualItems();
  const height = scroller.current?.clientHeight ?? 0;
  const top = virtual.scrollOffset ?? 0;
  const seen = items.filter(({ start, end }) => end > top && start < top + height);
  const first = blocks[seen[0]?.index ?? -1];
  const last = blocks[seen.at(-1)?.index ?? -1];
  const [from, to] = [first?.from ?? -1, (last?.to ?? 0) - 1];
  useEffect(() => {
    if (from >= 0) onWindow({ from, to });
  }, [from, to, onWindow]);

  useEffect(() => {
    const index = reveal ? blockAt(blocks, reveal.at) : -1;
    if (!reveal || index < 0) return undefined;
    virtual.scrollToIndex(index, { align: 'auto' });
    // A block may be taller than the window: scrolls again once its tokens are rendered.
    const timer = setTimeout(() => {
      const box = scroller.current;
      const token = box?.querySelector(`[data-at="${reveal.at}"]`)?.getClientRects()[0];
      if (!box || !token) return;
      const frame = box.getBoundingClientRect();
      if (token.top < frame.top) box.scrollTop -= frame.top - token.top + 8;
      if (token.bottom > frame.bottom) box.scrollTop += token.bottom - frame.bottom + 8;
    }, 60);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only a new request scrolls
  }, [reveal]);

  const tokenOf = (target: EventTarget | null): number | null => {
    const element = target instanceof Element ? target.closest<HTMLElement>('[data-at]') : null;
    return element ? Number(element.dataset['at']) : null;
  };
  const stepped = (key: string, at: number): number | null => {
    const box = scroller.current;
    if (!box) return null;
    switch (key) {
      case 'ArrowRight':
        return at + 1;
      case 'ArrowLeft':
        return at - 1;
      case 'Home':
        return 0;
      case 'End':
        return table.count - 1;
      case 'ArrowDown':
        return inNextLine(box, at, true) ?? at + 1;
      case 'ArrowUp':
        return inNextLine(box, at, false) ?? at - 1;
      case 'PageDown':
        return to + 1;
      case 'PageUp':
        return 2 * from - to - 1;
      default:
        return null;
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && range) {
      event.stopPropagation();
      return onRange(null);
    }
    const targetIndex =
      cursor === null && event.key.startsWith('Arrow') ? from : stepped(event.key, cursor ?? from);
    if (targetIndex === null || table.count === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = Math.max(0, Math.min(table.count - 1, targetIndex));
    if (event.shiftKey) {
      anchor.current ??= cursor ?? next;
      onRange({ from: Math.min(anchor.current, next), to: Math.max(anchor.current, next) });
    } else anchor.current = null;
    onCursor(next);
  };
  const choose = (event: PointerEvent) => {
    const at = tokenOf(event.target);
    if (at === null || event.button !== 0) return;
    const start = event.shiftKey ? (anchor.current ?? range?.from ?? at) : at;
    anchor.current = start;
    onRange({ from: Math.min(start, at), to: Math.max(start, at) });
    onCursor(at);
  };
  return (
    <div
      ref={scroller}
      className="token-text"
      style={{ '--all': `${virtual.getTotalSize() + 4}px` } as Record<string, string>}
      tabIndex={0}
      role="slider"
      aria-label="Text of the tokens"
      aria-valuemin={0}
      aria-valuemax={Math.max(0, table.count - 1)}
      aria-valuenow={cursor ?? 0}
      aria-valuetext={props.words}
      onKeyDown={onKeyDown}
      onPointerMove={(event) => {
        const at = tokenOf(event.target);
        if (at !== null) onCursor(at);
      }}
      onPointerDown={choose}
    >
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {items.map(({ index, start, key }) => {
          const block = blocks[index];
          if (!block) return null;
          const inside = cursor !== null && cursor >= block.from && cursor < block.to;
          const chosen = range && range.to >= block.from && range.from < block.to;
          return (
            <div
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              className="token-row"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Block
                table={table}
                segments={segments}
                block={block}
                by={by}
                scale={scale}
                cursor={inside ? cursor : null}
                from={chosen ? range.from : -1}
                to={chosen ? range.to : -1}
              />
            </div>
          );
        })}
      </div>
    </div>
  );
};
