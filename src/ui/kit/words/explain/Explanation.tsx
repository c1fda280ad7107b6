import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { closeExplanation, useExplained } from './explain-store.ts';
import { GLOSSARY, type Entry } from './glossary.ts';
import { TERM_IDS } from './terms.ts';

const WIDTH = 320;
const MARGIN = 8;

/** An entry without its name, which is above it. */
export const EntryBody = ({ entry }: { entry: Entry }) => (
  <>
    <p>{entry.text}</p>
    {entry.formula === undefined ? null : <p className="explain-formula">{entry.formula}</p>}
    {entry.source === undefined ? null : <p className="fine">{entry.source}</p>}
  </>
);

/** The whole glossary, under `?`. */
export const GlossaryList = () => (
  <dl className="glossary">
    {TERM_IDS.map((id) => (
      <div key={id}>
        <dt>{GLOSSARY[id].name}</dt>
        <dd>
          <EntryBody entry={GLOSSARY[id]} />
        </dd>
      </div>
    ))}
  </dl>
);

/** Below the word, above it without room, and always within the window. */
const placeOf = (anchor: DOMRect, height: number): { left: number; top: number } => {
  const left = Math.max(MARGIN, Math.min(anchor.left, innerWidth - WIDTH - MARGIN));
  const below = anchor.bottom + 4;
  const top = below + height + MARGIN <= innerHeight ? below : anchor.top - height - 4;
  return { left, top: Math.max(MARGIN, top) };
};

/** The explanation of a clicked word. Escape, a click elsewhere and scrolling close it. */
export default function Explanation() {
  const open = useExplained((state) => state.open);
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ left: number; top: number } | null>(null);
  useLayoutEffect(() => {
    if (!open || !box.current) return;
    setPlace(placeOf(open.anchor.getBoundingClientRect(), box.current.offsetHeight));
    box.current.focus({ preventScroll: true });
  }, [open]);
  useEffect(() => {
    if (!open) return undefined;
    const { anchor } = open;
    const onPress = ({ target }: Event) => {
      if (!(target instanceof Node) || box.current?.contains(target) || anchor.contains(target))
        return;
      closeExplanation();
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      // Only closes the explanation, nothing below it.
      event.stopPropagation();
      closeExplanation();
      anchor.focus();
    };
    addEventListener('pointerdown', onPress, true);
    addEventListener('keydown', onKey, true);
    addEventListener('scroll', closeExplanation, true);
    return () => {
      removeEventListener('pointerdown', onPress, true);
      removeEventListener('keydown', onKey, true);
      removeEventListener('scroll', closeExplanation, true);
    };
  }, [open]);
  if (!open) return null;
  const entry = GLOSSARY[open.id];
  return (
    <div
      ref={box}
      role="dialog"
      aria-label={entry.name}
      tabIndex={-1}
      className="explanation"
      style={{ ...(place ?? { left: 0, top: 0 }), visibility: place ? 'visible' : 'hidden' }}
    >
      <h3>{entry.name}</h3>
      <EntryBody entry={entry} />
    </div>
  );
}
