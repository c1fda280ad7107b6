import { TextInput } from '@mantine/core';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { fullText, type ImportedRollout } from '../../../../formats/rollouts/shape/imported.ts';
import { type Finding, LINTS } from '../../../../evaluate/rollouts/lint/finding.ts';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { formatCount } from '../../../kit/words/format.ts';
import { searchedFor } from '../../store/browse-address.ts';
import { findText, inTurns, MOST_FOUND, type FoundText } from './raw-rows.ts';
import { RawText, type PlacedMark } from './RawText.tsx';

const NOTHING: FoundText[] = [];

/** Searches a moment after the last key, in short turns. */
const useFind = (texts: readonly string[], needle: string) => {
  const [found, setFound] = useState<{ needle: string; list: FoundText[] } | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      void inTurns(findText(texts, needle), stop.signal).then((list) => {
        if (list && !stop.signal.aborted) setFound({ needle, list });
      });
    }, 120);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [texts, needle]);
  return needle !== '' && found?.needle === needle ? found.list : needle === '' ? NOTHING : null;
};

/** "3 of 128", or what is in place of it. */
const foundWords = (list: readonly FoundText[] | null, at: number, needle: string): string => {
  if (needle === '') return '';
  if (list === null) return 'searching …';
  if (list.length === 0) return 'not in this text';
  const many =
    list.length === MOST_FOUND ? `the first ${formatCount(MOST_FOUND)}` : formatCount(list.length);
  return `${formatCount(at + 1)} of ${many}`;
};

interface TextViewProps {
  rollout: ImportedRollout;
  findings: readonly Finding[];
  /** Segment to begin at. */
  event: number | null;
  /** Rises when the reader asks to find something. */
  findAsked: number;
}

/** All of the text, found in and copied. */
export const TextView = ({ rollout, findings, event, findAsked }: TextViewProps) => {
  const { segments } = rollout;
  const texts = useMemo(() => segments.map(({ text }) => text), [segments]);
  const [needle, setNeedle] = useState(() => searchedFor(location.search));
  /** Null until somebody steps: then it is the first one from where the address begins. */
  const [stepped, setStepped] = useState<number | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const region = useRef<HTMLDivElement>(null);
  const list = useFind(texts, needle);
  const begin = list?.findIndex(({ segment }) => segment >= (event ?? 0)) ?? 0;
  const at = stepped ?? Math.max(0, begin);
  const current = list?.[at] ?? null;
  useEffect(() => {
    if (findAsked > 0) field.current?.focus();
  }, [findAsked]);

  const marks = useMemo<PlacedMark[]>(
    () => [
      ...findings.flatMap(({ code, where }) =>
        where.map((span) => ({ ...span, kind: 'fault' as const, title: LINTS[code].title })),
      ),
      ...(list ?? []).map((span, i) => ({
        ...span,
        kind: i === at ? ('current' as const) : ('found' as const),
        title: 'found',
      })),
    ],
    [findings, list, at],
  );
  const focus = useMemo(
    () => current ?? (event === null ? null : { segment: event, start: 0 }),
    [current, event],
  );
  const step = (by: number) => {
    if (list && list.length > 0) setStepped((at + by + list.length) % list.length);
  };
  const onKeyDown = (pressed: KeyboardEvent) => {
    if (pressed.key === 'Enter') {
      pressed.preventDefault();
      step(pressed.shiftKey ? -1 : 1);
    }
    if (pressed.key === 'Escape') {
      pressed.stopPropagation();
      setNeedle('');
      region.current?.querySelector<HTMLElement>('.raw-scroll')?.focus();
    }
  };
  return (
    <div className="reader-fill" ref={region}>
      <div className="reader-bar">
        <TextInput
          ref={field}
          size="xs"
          className="find-field"
          aria-label="Find in the text"
          placeholder="Find (/)"
          value={needle}
          onChange={(change) => {
            setNeedle(change.currentTarget.value);
            setStepped(null);
          }}
          onKeyDown={onKeyDown}
        />
        <button type="button" className="link" disabled={!current} onClick={() => step(-1)}>
          ↑ previous
        </button>
        <button type="button" className="link" disabled={!current} onClick={() => step(1)}>
          ↓ next
        </button>
        <span className="fine" role="status">
          {foundWords(list, at, needle)}
        </span>
        <span className="grow" />
        <CopyButton label="copy the whole text" text={() => fullText(rollout)} />
      </div>
      <RawText segments={segments} marks={marks} focus={focus} label="Text of the rollout" />
    </div>
  );
};
