import {
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';

/** Where an arrow key points, x to the right and y down. */
type Towards = readonly [x: number, y: number];

const ARROWS: Readonly<Record<string, Towards>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

interface PointedPictureProps {
  className: string;
  /** What it shows, and what keys do. */
  label: string;
  /** Places that there are. */
  count: number;
  /** What is at a place. */
  says: (place: number) => string;
  /** What is said of it while none is chosen, to who listens. */
  none: string;
  /** How it is read, below it while none is chosen; it is in its files too. */
  reads?: string;
  /** What pointer and keys do, after it. */
  hint: string;
  /** The place at a point of the drawing, pixels from its upper left corner; null where there is none. */
  placeAt: (x: number, y: number) => number | null;
  /** The place that an arrow key leads to; null where it leads nowhere. @param from null while none is chosen */
  next: (from: number | null, towards: Towards) => number | null;
  open: (place: number) => void;
  /** What marks the chosen place has `data-chosen`: keys bring it into view where the drawing is scrolled, and files leave it out. */
  renderDrawing: (chosen: number | null) => ReactNode;
}

/** A drawing in which a place is chosen by pointer or arrow keys and opened by a click or Enter; its words are below. */
export const PointedPicture = (props: PointedPictureProps) => {
  const { className, label, count, says, none, reads, hint, placeAt, next, open, renderDrawing } =
    props;
  const [wanted, setChosen] = useState<number | null>(null);
  // There may be fewer now than when it was chosen.
  const chosen = wanted !== null && wanted < count ? wanted : null;
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
    setChosen(place);
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
        onPointerMove={(event) => setChosen(under(event))}
        onClick={(event) => {
          const place = under(event);
          if (place !== null) open(place);
        }}
      >
        {renderDrawing(chosen)}
      </div>
      {/* A file of the picture has how it is read, whatever place is chosen. */}
      <p className="fine pointed-says" data-legend="" hidden={chosen !== null}>
        {reads} <span data-page-only="">{hint}</span>
      </p>
      <p className="fine pointed-says" role="status" hidden={chosen === null}>
        {chosen === null ? '' : says(chosen)}
      </p>
    </>
  );
};
