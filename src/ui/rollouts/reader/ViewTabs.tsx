import { useRef, type KeyboardEvent } from 'react';
import { VIEWS, type ReaderView } from './store/address.ts';

/** Views in tab order. */
export const VIEW_IDS = Object.keys(VIEWS) as ReaderView[];

/** The tabs; arrow keys move between them. */
export const ViewTabs = ({
  view,
  show,
}: {
  view: ReaderView;
  show: (view: ReaderView) => void;
}) => {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    // Here arrows only move between tabs.
    event.stopPropagation();
    const at = (VIEW_IDS.indexOf(view) + by + VIEW_IDS.length) % VIEW_IDS.length;
    show(VIEW_IDS[at]!);
    list.current?.querySelectorAll('button')[at]?.focus();
  };
  return (
    <div
      className="reader-tabs"
      role="tablist"
      aria-label="Views of the rollout"
      ref={list}
      onKeyDown={onKeyDown}
    >
      {VIEW_IDS.map((id) => (
        <button
          key={id}
          id={`tab-${id}`}
          type="button"
          role="tab"
          aria-selected={id === view}
          aria-controls="reader-panel"
          tabIndex={id === view ? 0 : -1}
          onClick={() => show(id)}
        >
          {VIEWS[id]}
        </button>
      ))}
    </div>
  );
};
