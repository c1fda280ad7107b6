import { useEffect, useRef } from 'react';
import { Icon } from '../../kit/Icon.tsx';

/** A way to end what trains. */
export interface StopChoice {
  name: string;
  /** What it costs, and how it can continue. */
  says: string;
  act: () => void;
  disabled?: boolean;
}

interface StopMenuProps {
  choices: readonly StopChoice[];
  /** In the status bar, which every page has: its name there; it opens upwards. */
  inBar?: string | undefined;
}

/** One Stop: it opens what can be done, each with its consequences. */
export const StopMenu = ({ choices, inBar }: StopMenuProps) => {
  const box = useRef<HTMLDetailsElement>(null);
  const close = () => box.current?.removeAttribute('open');
  useEffect(() => {
    const details = box.current;
    // A `details` does not close by itself when something else is pressed.
    const outside = ({ target }: Event) => {
      if (target instanceof Node && !details?.contains(target)) details?.removeAttribute('open');
    };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, [box]);
  return (
    <details
      ref={box}
      className={inBar === undefined ? 'stop-choices' : 'bar-stop'}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !box.current?.open) return;
        // Escape of the page would end what is running.
        event.stopPropagation();
        close();
        // Else the focus would be on a button that is not seen any more.
        box.current.querySelector('summary')?.focus();
      }}
    >
      <summary aria-label={inBar} title={inBar} className={inBar && 'stop'}>
        <Icon name="stop" size={12} /> {inBar === undefined ? 'Stop …' : 'Stop'}
      </summary>
      <ul className="pop-over" aria-label="Ways to stop">
        {choices.map(({ name, says, act, disabled }) => (
          <li key={name}>
            <button
              type="button"
              className="link"
              disabled={disabled}
              onClick={() => {
                close();
                act();
              }}
            >
              {name}
            </button>
            <p className="fine">{says}</p>
          </li>
        ))}
      </ul>
    </details>
  );
};
