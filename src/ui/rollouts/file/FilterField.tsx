import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { flushSync } from 'react-dom';
import {
  type Completion,
  type KnownValues,
  completionsAt,
  type Completions,
} from '../../../evaluate/rollouts/filter/complete.ts';
import { FilterError } from '../../../evaluate/rollouts/filter/error.ts';
import { parseFilter } from '../../../evaluate/rollouts/filter/parse.ts';
import { compileFilter } from '../../../evaluate/rollouts/filter/match.ts';
import { formatCount, plural } from '../../kit/words/format.ts';
import { rememberFilter, pastFilters } from './filter-history.ts';
import { condition } from '../store/browse-address.ts';

/** Most completions: all fields and clauses fit; long value lists are cut. */
const MOST_ITEMS = 120;
/** Earlier filters offered in an empty field. */
const MOST_PAST = 5;

/** Completions at the cursor; an empty field offers earlier filters first. */
export const offersAt = (text: string, at: number, known: KnownValues): Completions => {
  const offers = completionsAt(text, at, known);
  const past = text === '' ? pastFilters().slice(0, MOST_PAST) : [];
  const items = [
    ...past.map((one): Completion => ({ text: one, kind: 'value', note: 'asked before' })),
    ...offers.items,
  ];
  return { ...offers, items: items.slice(0, MOST_ITEMS) };
};

/** Tokens of the filter language: text with these is a filter. */
const FILTER = /[=<>!()"\\/]|\b(?:contains|matches|has|is|and|or|not)\b/i;

/** A filter that searches all texts for the words; null if the text is, or may become, a filter. */
export const plainSearch = (text: string): string | null => {
  const words = text.trim();
  return words.length < 2 || FILTER.test(words) ? null : condition('text', 'contains', words);
};

/** Why a filter is invalid, and the underlined characters. */
interface Fault {
  message: string;
  position: number;
  /** 0: the text ends too early. */
  length: number;
  /** If the text is only incomplete: what may follow, shown instead of the error while typing. */
  unfinished: string | null;
}

/** Null for a valid filter. */
const faultOf = (text: string): Fault | null => {
  try {
    compileFilter(parseFilter(text));
    return null;
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    const { message, position, length, expected } = error;
    const atEnd = length === 0 && position >= text.trimEnd().length;
    return { message, position, length, unfinished: atEnd ? `… then ${expected}` : null };
  }
};

/**
 * A copy of the text under the field, with the error underlined, because an `<input>` cannot
 * underline parts.
 * @param left scroll offset of the field in CSS pixels
 */
const Mirror = ({ text, fault, left }: { text: string; fault: Fault | null; left: number }) => {
  const from = fault ? Math.min(fault.position, text.length) : 0;
  const to = fault ? from + Math.max(1, fault.length) : 0;
  return (
    <div className="filter-mirror" aria-hidden="true">
      <span style={{ transform: `translateX(${-left}px)` }}>
        {fault ? (
          <>
            {text.slice(0, from)}
            <u>{text.slice(from, to) || ' '}</u>
          </>
        ) : null}
      </span>
    </div>
  );
};

/** Ref callback: keeps the chosen completion visible. */
const intoView = (option: HTMLElement | null): void => option?.scrollIntoView({ block: 'nearest' });

/** The completions; `at` is the chosen one, −1 for none. */
const Options = (props: {
  id: string;
  items: readonly Completion[];
  at: number;
  take: (item: Completion) => void;
}) => (
  <div className="completions" role="listbox" id={props.id} aria-label="Completions">
    {props.items.map((item, index) => (
      <div
        key={`${item.kind} ${item.text}`}
        id={`${props.id}-${index}`}
        role="option"
        aria-selected={index === props.at}
        ref={index === props.at ? intoView : undefined}
        className={index === props.at ? 'completion chosen' : 'completion'}
        // Keeps the focus: the field would close the list on blur.
        onPointerDown={(event) => {
          event.preventDefault();
          props.take(item);
        }}
      >
        <code>{item.text}</code>
        <span className="fine ellipsis">{item.note}</span>
      </div>
    ))}
  </div>
);

/** Delay after the last key, because filtering texts is slow. */
const SETTLE_MS = 350;

interface FilterFieldProps {
  /** The filter of the address. */
  filter: string;
  /** @param further replaces the history entry, so that "back" undoes the whole input */
  setFilter: (filter: string, further: boolean) => void;
  known: KnownValues;
  /** Numbers of filtered and all rollouts; null while counting. */
  matched: number | null;
  total: number | null;
  /** Suffix of the counts of a partly read file. */
  partial?: string;
  loading: boolean;
}

/**
 * The filter field with completions and errors. Its text is applied once valid and after a pause, or
 * at once by Enter.
 */
export const FilterField = (props: FilterFieldProps) => {
  const { filter, setFilter, known, matched, total, partial = '', loading } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(filter);
  const [given, setGiven] = useState(filter);
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const [cursor, setCursor] = useState(filter.length);
  const [left, setLeft] = useState(0);
  // Whether the last change was typed: the next one then replaces the same history entry.
  const written = useRef(false);
  // An external change (a bar, "back") replaces the text.
  if (given !== filter) {
    setGiven(filter);
    setText(filter);
  }
  const fault = useMemo(() => faultOf(text), [text]);
  const search = plainSearch(text);
  const waits = open && fault ? fault.unfinished : null;
  const faulty = fault !== null && waits === null;
  const offers = useMemo(
    () => (open ? offersAt(text, cursor, known) : null),
    [open, text, cursor, known],
  );
  const commit = (next: string, typed: boolean): void => {
    if (faultOf(next) !== null) return;
    if (!typed) rememberFilter(next);
    if (next === filter) return;
    setGiven(next);
    setFilter(next, written.current);
    written.current = typed;
  };
  useEffect(() => {
    if (text === filter || fault) return undefined;
    const timer = setTimeout(() => commit(text, true), SETTLE_MS);
    return () => clearTimeout(timer);
    // Depends on the filter too: after Enter the pending timer must not hand the text up again.
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the rest follows from the text
  }, [text, fault, filter]);
  const take = (item: Completion): void => {
    if (!offers) return;
    const [from, to] = text === '' ? [0, 0] : [offers.from, offers.to];
    const space = item.text === '(' ? '' : ' ';
    const next = `${text.slice(0, from)}${item.text}${space}${text.slice(to).trimStart()}`;
    const place = from + item.text.length + space.length;
    // Rendered before the caret is set, and both before the next key: one frame later the caret would
    // jump.
    flushSync(() => {
      setText(next);
      setCursor(place);
      setAt(-1);
    });
    input.current?.setSelectionRange(place, place);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const items = open ? (offers?.items ?? []) : [];
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      if (!open) setOpen(true);
      else if (items.length > 0)
        setAt(at < 0 && by < 0 ? items.length - 1 : (at + by + items.length) % items.length);
      return;
    }
    const item = items[at];
    if (item && (event.key === 'Enter' || event.key === 'Tab')) {
      event.preventDefault();
      return take(item);
    }
    if (event.key === 'Enter') {
      setOpen(false);
      return commit(text, false);
    }
    if (event.key === 'Escape') {
      event.stopPropagation();
      if (open) return setOpen(false);
      input.current?.blur();
    }
  };
  const shown = open && offers !== null && offers.items.length > 0;
  return (
    <div className="filter">
      <div className={faulty ? 'filter-box faulty' : 'filter-box'}>
        <Mirror text={text} fault={faulty ? fault : null} left={left} />
        <input
          ref={input}
          id="rollout-filter"
          type="text"
          role="combobox"
          spellCheck={false}
          autoComplete="off"
          aria-label="Filter"
          aria-expanded={shown}
          aria-controls={shown ? id : undefined}
          aria-activedescendant={shown && at >= 0 ? `${id}-${at}` : undefined}
          aria-invalid={faulty}
          aria-describedby={`${id}-said`}
          placeholder='Filter: em = 0 and retrieved = 1 and think contains "not sure"'
          value={text}
          onKeyDown={onKeyDown}
          onFocus={() => {
            written.current = false;
            setOpen(true);
          }}
          onBlur={() => {
            setOpen(false);
            setAt(-1);
            commit(text, false);
          }}
          onScroll={(event) => setLeft(event.currentTarget.scrollLeft)}
          onSelect={(event) => setCursor(event.currentTarget.selectionStart ?? 0)}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setCursor(event.currentTarget.selectionStart ?? 0);
            setOpen(true);
            setAt(-1);
          }}
        />
        {text === '' ? null : (
          <button
            type="button"
            className="filter-clear"
            aria-label="Clear the filter"
            onClick={() => {
              setText('');
              commit('', false);
            }}
          >
            ✕
          </button>
        )}
        {shown ? <Options id={id} items={offers.items} at={at} take={take} /> : null}
      </div>
      <span
        id={`${id}-said`}
        className={faulty ? 'tone-bad filter-said' : 'fine filter-said'}
        role="status"
      >
        {fault
          ? (waits ?? fault.message)
          : loading
            ? 'searching …'
            : matched === null || total === null
              ? ''
              : filter === ''
                ? `${plural(total, 'rollout')}${partial}`
                : `${formatCount(matched)} of ${formatCount(total)}${partial}`}
      </span>
      {fault && search !== null ? (
        <button
          type="button"
          className="link"
          onClick={() => {
            setText(search);
            commit(search, false);
          }}
        >
          search all texts for “{text.trim()}”
        </button>
      ) : null}
    </div>
  );
};
