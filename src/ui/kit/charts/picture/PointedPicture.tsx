import {
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';

/** Direction of an arrow key, x to the right and y down. */
type Towards = readonly [x: number, y: number];

const ARROWS: Readonly<Record<string, Towards>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

interface PointedPictureProps {
  className: string;
  /** Description, including the keys. */
  label: string;
  /** Number of places. */
  count: number;
  /** Describes a place. */
  says: (place: number) => string;
  /** Screen-reader text while none is chosen. */
  none: string;
  /** How to read it, below the drawing while none is chosen; also in saved files. */
  reads?: string;
  /** What pointer and keys do, after it. */
  hint: string;
  /** The place at a point of the drawing, in pixels from the top left; null if none. */
  placeAt: (x: number, y: number) => number | null;
  /**
   * The target of an arrow key; null if there is none.
   * @param from null while none is chosen
   */
  next: (from: number | null, towards: Towards) => number | null;
  open: (place: number) => void;
  /** Marks of the chosen place have `data-chosen`: keys scroll them into view, and saved files omit them. */
  renderDrawing: (chosen: number | null) => ReactNode;
}

/**
 * A drawing with places that are chosen by pointer or arrow keys and opened by click or Enter; its
 * text is below.
 */
export const PointedPicture = (props: PointedPictureProps) => {
  const { className, label, count, says, none, reads, hint, placeAt, next, open, renderDrawing } =
    props;
  const [selected, setSelected] = useState<number | null>(null);
  // The number of places may have shrunk.
  const chosen = selected !== null && selected < count ? selected : null;
  const box = useRef<HTMLDivElement>(null);
  const [byKeys, setByKeys] = useState<number | null>(null);
  useEffect(() => {
    if (byKeys === null) return;
    box.current
      ?.querySelector('[data-chosen]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [byKeys]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && chosen !== null) return open(chosen);
    const towards = ARROWS[event.key];
    if (!towards) return;
    event.preventDefault();
    event.stopPropagation();
    const place = next(chosen, towards) ?? chosen;
    setSelected(place);
    setByKeys(place);
  };
  const under = ({ currentTarget, clientX, clientY }: MouseEvent): number | null => {
    const { left, top } = currentTarget.getBoundingClientRect();
    return placeAt(clientX - left + currentTarget.scrollLeft, clientY - top);
  };
  return (
    <>
      <div
        ref={box}
        className={`pointed ${className}`}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={count}
        aria-valuenow={(chosen ?? 0) + 1}
        aria-valuetext={chosen === null ? none : says(chosen)}
        onKeyDown={onKeyDown}
        onPointerMove={(event) => setSelected(under(event))}
        onClick={(event) => {
          const place = under(event);
          if (place !== null) open(place);
        }}
      >
        {renderDrawing(chosen)}
      </div>
      {/* Saved files contain how to read it, whatever place is chosen. */}
      <p className="fine pointed-says" data-legend="" hidden={chosen !== null}>
        {reads} <span data-page-only="">{hint}</span>
      </p>
      <p className="fine pointed-says" role="status" hidden={chosen === null}>
        {chosen === null ? '' : says(chosen)}
      </p>
    </>
  );
};
