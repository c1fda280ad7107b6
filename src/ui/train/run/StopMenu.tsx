import { useEffect, useRef } from 'react';
import { Icon } from '../../kit/Icon.tsx';

export interface StopChoice {
  name: string;
  /** What it costs, and how it can go on. */
  says: string;
  act: () => void;
  disabled?: boolean;
}

/** One Stop: it opens what can be done, each with its consequences. */
export const StopMenu = ({ choices }: { choices: readonly StopChoice[] }) => {
  const box = useRef<HTMLDetailsElement>(null);
  const close = () => box.current?.removeAttribute('open');
  useEffect(() => {
    const details = box.current;
    const outside = ({ target }: Event) => {
      if (target instanceof Node && !details?.contains(target)) details?.removeAttribute('open');
    };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, [box]);
  return (
    <details
      ref={box}
      className="stop-choices"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !box.current?.open) return;
        event.stopPropagation();
        close();
        box.current.querySelector('summary')?.focus();
      }}
    >
      <summary>
        <Icon name="stop" size={12} /> Stop …
      </summary>
      <ul aria-label="Ways to stop">
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
