import { useRef, useState, type KeyboardEvent } from 'react';
import type { Reading } from '../../../lab/contract/rollouts.ts';
import { VIEWS, type ReaderView } from './store/address.ts';

/** Views in tab order. */
export const VIEW_IDS = Object.keys(VIEWS) as ReaderView[];

/** Views that have nothing to show of this rollout, each with the reason. */
export function unfilledViews({
  rollout,
  siblings,
}: Pick<Reading, 'rollout' | 'siblings'>): Partial<Record<ReaderView, string>> {
  // Where a file has no tokens, pieces of the text take their place.
  return {
    ...(siblings.length < 2 && { group: 'The file has no other rollout of this group.' }),
    ...(rollout.question.answers.length === 0 && {
      scores: 'The file has no gold answer for this question.',
    }),
    ...(rollout.reward === null && {
      'what-if': 'The file has no reward of this rollout.',
    }),
    ...(!rollout.events && { time: 'The file has no times.' }),
  };
}

/** The tabs; arrow keys move between them. */
export const ViewTabs = ({
  view,
  unfilled,
  show,
}: {
  view: ReaderView;
  /** Views without anything to show, with the reason; they are grey. */
  unfilled: Partial<Record<ReaderView, string>>;
  show: (view: ReaderView) => void;
}) => {
  const [reason, setReason] = useState<string | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    // Here arrows only move between tabs.
    event.stopPropagation();
    const filled = VIEW_IDS.filter((id) => id === view || unfilled[id] === undefined);
    const next = filled[(filled.indexOf(view) + by + filled.length) % filled.length]!;
    const at = VIEW_IDS.indexOf(next);
    show(next);
    list.current?.querySelectorAll('button')[at]?.focus();
  };
  return (
    <>
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
            aria-disabled={unfilled[id] !== undefined}
            title={unfilled[id]}
            onClick={() => {
              setReason(unfilled[id] ?? null);
              if (unfilled[id] === undefined) show(id);
            }}
          >
            {VIEWS[id]}
          </button>
        ))}
      </div>
      <p className="fine reader-reason" role="status">
        {reason}
      </p>
    </>
  );
};
