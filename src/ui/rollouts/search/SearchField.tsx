import { TextInput } from '@mantine/core';
import { useEffect, useState, type KeyboardEvent } from 'react';
import { Icon } from '../../kit/Icon.tsx';
import { stopSearch, useSearched } from './search-store.ts';

/** Delay after the last key. */
const SETTLE_MS = 350;
/** A single letter is not searched, unless with Enter. */
const SHORTEST = 2;

interface SearchFieldProps {
  /** The text of the address. */
  searchText: string;
  /** Searches again for the same text. */
  again: () => void;
  /** @param further continues the same input: "back" does not stop at each key */
  search: (text: string, further: boolean) => void;
  /** Focuses the first result. */
  enterList: () => void;
}

/** The search field for all rollouts; searches after a pause, or on Enter. */
export const SearchField = ({ searchText, again, search, enterList }: SearchFieldProps) => {
  const [text, setText] = useState(searchText);
  const [given, setGiven] = useState(searchText);
  // "Back" or ⌘K replaces the text; a trailing space stays.
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
