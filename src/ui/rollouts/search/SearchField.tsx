import { TextInput } from '@mantine/core';
import { useEffect, useState, type KeyboardEvent } from 'react';
import { Icon } from '../../kit/Icon.tsx';
import { stopSearch, useSearched } from './search-store.ts';

/** After the last key. */
const SETTLE_MS = 350;
/** One letter is only the beginning of a word, unless Enter says otherwise. */
const SHORTEST = 2;

interface SearchFieldProps {
  /** What the address says. */
  searchText: string;
  /** Searches for the same words again. */
  again: () => void;
  /** @param further the same writing continues: "back" does not stop at each key */
  search: (text: string, further: boolean) => void;
  /** Puts the focus on the first rollout that was found. */
  enterList: () => void;
}

/** The words that all rollouts are searched for; looked for a moment after the last key, or on Enter. */
export const SearchField = ({ searchText, again, search, enterList }: SearchFieldProps) => {
  const [text, setText] = useState(searchText);
  const [given, setGiven] = useState(searchText);
  // "Back", or ⌘K, replaces what is written; the space before the next word stays.
  if (given !== searchText) {
    setGiven(searchText);
    if (text.trim() !== searchText) setText(searchText);
  }
  const commit = (next: string): void => {
    const words = next.trim();
    if (words === searchText) return;
    search(words, searchText !== '' && words !== '');
  };
  useEffect(() => {
    const words = text.trim();
    const begun = words !== '' && words.length < SHORTEST;
    if (words === searchText || begun) return undefined;
    const timer = setTimeout(() => commit(text), SETTLE_MS);
    return () => clearTimeout(timer);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the rest follows from the text
  }, [text, searchText]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      enterList();
    }
    if (event.key === 'Enter') {
      const same = text.trim() === searchText && searchText !== '';
      if (same && useSearched.getState().status !== 'searching') again();
      commit(text);
    }
    if (event.key === 'Escape') {
      event.stopPropagation();
      if (useSearched.getState().status === 'searching') return stopSearch();
      setText('');
      commit('');
    }
  };
  return (
    <TextInput
      id="rollouts-search"
      type="search"
      size="xs"
      className="search-all"
      aria-label="Search all rollouts"
      placeholder="Search all rollouts: question, answer, any text (/)"
      autoComplete="off"
      spellCheck={false}
      leftSection={<Icon name="search" size={14} />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
};
