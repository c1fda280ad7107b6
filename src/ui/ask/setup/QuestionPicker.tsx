import { TextInput } from '@mantine/core';
import { Select } from '../../kit/Select.tsx';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { QUESTION_TYPES, type QuestionType } from '../../../records/records.ts';
import type { QuestionRow } from '../../../lab/contract/ask.ts';
import { formatCount } from '../../kit/words/format.ts';
import { PickField } from '../../kit/PickField.tsx';
import { ask } from '../store/actions.ts';
import { useSession } from '../../kit/session-store.ts';
import { useAsk } from '../store/ask-store.ts';
import { filterQuestions, NO_FILTER, type QuestionFilter } from '../store/filters.ts';

/** Row height in CSS pixels: two lines of text and one of facts. */
const ROW_HEIGHT = 60;
/** What a question needs: only the local corpus, or also the web. */
const SOURCES = ['local', 'web'] as const;

/** The known facts of a question; imported questions have fewer. */
const factsOf = ({ hops, type, localSuffices, split }: QuestionRow): string =>
  [
    hops > 0 ? `${hops} ${hops === 1 ? 'hop' : 'hops'}` : null,
    type,
    localSuffices === null ? null : localSuffices ? 'local is enough' : 'needs web',
    split,
  ]
    .filter((part) => part !== null && part !== '')
    .join(' · ');

/** A question in the list, with its facts below. */
const Row = (props: { row: QuestionRow }) => (
  <>
    <span className="question-text">{props.row.text}</span>
    <span className="fine">{factsOf(props.row)}</span>
  </>
);

/** The fields in which the questions differ. */
interface Choices {
  hops: number[];
  types: QuestionType[];
  splits: string[];
}

const choicesOf = (rows: readonly QuestionRow[]): Choices => ({
  hops: [...new Set(rows.map((row) => row.hops))].filter((n) => n > 0).toSorted((a, b) => a - b),
  types: QUESTION_TYPES.filter((type) => rows.some((row) => row.type === type)),
  splits: [...new Set(rows.map((row) => row.split))],
});

/** Filters. The options come from the questions, because worlds and imports differ. */
const Filters = (props: {
  filter: QuestionFilter;
  choices: Choices;
  change: (change: Partial<QuestionFilter>) => void;
}) => {
  const { filter, change } = props;
  return (
    <div className="filters">
      <Select
        aria-label="Hops"
        size="xs"
        value={filter.hops ?? ''}
        onChange={(event) => change({ hops: Number(event.currentTarget.value) || null })}
        data={[
          { value: '', label: 'any hops' },
          ...props.choices.hops.map((n) => ({
            value: String(n),
            label: `${n} hop${n === 1 ? '' : 's'}`,
          })),
        ]}
      />
      <PickField
        aria-label="Type"
        values={props.choices.types}
        value={filter.type}
        none="any type"
        onPick={(type) => change({ type })}
        onNone={() => change({ type: null })}
      />
      <PickField
        aria-label="Source needed"
        values={SOURCES}
        names={{ local: 'local is enough', web: 'needs web' }}
        value={filter.source}
        none="any source"
        onPick={(source) => change({ source })}
        onNone={() => change({ source: null })}
      />
      <Select
        aria-label="Split"
        size="xs"
        value={filter.split ?? ''}
        onChange={(event) => change({ split: event.currentTarget.value || null })}
        data={[{ value: '', label: 'any split' }, ...props.choices.splits]}
      />
    </div>
  );
};

/**
 * A listbox: one Tab stop, arrow keys choose. Only visible rows and the chosen one are in the
 * document; `aria-activedescendant` names that one, and it is scrolled into view.
 */
const List = ({ rows }: { rows: QuestionRow[] }) => {
  const scroller = useRef<HTMLDivElement>(null);
  const asked = useAsk((state) => state.address.asked);
  const chosen = asked?.kind === 'world' ? rows.findIndex((row) => row.id === asked.id) : -1;
  // eslint-disable-next-line react/incompatible-library -- nothing here is memoised by a compiler
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 6,
    // The `aria-activedescendant` row must stay in the document even when scrolled away.
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      const away = chosen >= 0 && !shown.includes(chosen);
      return away ? [...shown, chosen].toSorted((a, b) => a - b) : shown;
    },
  });
  const choose = (index: number) => {
    const row = rows[index];
    if (!row) return;
    ask({ kind: 'world', id: row.id });
    virtual.scrollToIndex(index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = {
      ArrowDown: Math.min(rows.length - 1, chosen + 1),
      ArrowUp: Math.max(0, chosen - 1),
      Home: 0,
      End: rows.length - 1,
    };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    // Elsewhere on the page Home, End and the arrows belong to playback.
    event.stopPropagation();
    choose(next);
  };
  return (
    <div
      ref={scroller}
      className="question-list"
      role="listbox"
      aria-label="Questions of the built-in world"
      tabIndex={0}
      aria-activedescendant={chosen >= 0 ? `question-${chosen}` : undefined}
      onKeyDown={onKeyDown}
    >
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }} role="presentation">
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index];
          return row ? (
            <div
              key={row.id}
              id={`question-${item.index}`}
              role="option"
              aria-selected={item.index === chosen}
              className={item.index === chosen ? 'question-row chosen' : 'question-row'}
              style={{ height: ROW_HEIGHT, transform: `translateY(${item.start}px)` }}
              onClick={() => choose(item.index)}
            >
              <Row row={row} />
            </div>
          ) : null;
        })}
      </div>
    </div>
  );
};

/**
 * The questions of the world, or of the collections that were chosen, filtered.
 * @param props.askOwn takes what was searched for and not found as a question of the user's
 */
export const QuestionPicker = ({ askOwn }: { askOwn: (text: string) => void }) => {
  const questions = useSession((state) => state.questions);
  const problem = useSession((state) => state.questionsProblem);
  const world = useSession((state) => state.parts.world);
  const [filter, setFilter] = useState(NO_FILTER);
  // Filtering thousands of questions must not delay typing.
  const deferred = useDeferredValue(filter);
  const rows = useMemo(() => filterQuestions(questions, deferred), [questions, deferred]);
  const choices = useMemo(() => choicesOf(questions), [questions]);
  const change = (part: Partial<QuestionFilter>) => setFilter((before) => ({ ...before, ...part }));
  return (
    <div className="picker">
      <TextInput
        id="question-search"
        size="xs"
        aria-label="Search the questions"
        placeholder="Search the questions ( / )"
        value={filter.text}
        onChange={(event) => change({ text: event.currentTarget.value })}
      />
      <Filters filter={filter} choices={choices} change={change} />
      {questions.length === 0 ? (
        <p className="fine">
          {problem !== null
            ? `The questions could not be read: ${problem}`
            : world.status === 'failed'
              ? 'The questions could not be loaded; see the message above.'
              : 'The questions appear here in a moment.'}
        </p>
      ) : (
        <>
          <div className="fine" aria-live="polite">
            {formatCount(rows.length)} of {formatCount(questions.length)} questions
          </div>
          {rows.length === 0 ? (
            <p className="fine">
              No question matches.{' '}
              <button type="button" className="link" onClick={() => setFilter(NO_FILTER)}>
                Clear the filters
              </button>
              {filter.text.trim() === '' ? null : (
                <>
                  {' · '}
                  <button type="button" className="link" onClick={() => askOwn(filter.text.trim())}>
                    Use it as your own question
                  </button>
                </>
              )}
            </p>
          ) : (
            <List rows={rows} />
          )}
        </>
      )}
    </div>
  );
};
