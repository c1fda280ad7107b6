import { GROUPINGS } from '../rollouts/file/groupings.ts';
import {
  filePath,
  formatBrowseAddress,
  parseBrowseAddress,
} from '../rollouts/store/browse-address.ts';
import { moveCursor, openCursor, toggleBookmark } from '../rollouts/store/browse-selection.ts';
import type { Command } from './commands.ts';
import { useRollouts } from '../rollouts/store/rollouts-store.ts';

/** Commands for imported rollouts. */

/** The table of one file: two path segments. */
const isTable = (path: string): boolean => /^\/rollouts\/[^/]+\/?$/.test(path);

/** The list of files. */
const isList = (path: string): boolean => /^\/rollouts\/?$/.test(path);

/** The grouping by one key, from those that the table offers. */
const byQuestion = GROUPINGS.find(({ group }) => group.join() === 'question')!;

/** Toggles grouping by question. */
const toggleGroups = (go: (path: string) => void) => (): void => {
  const { fileId } = useRollouts.getState();
  if (fileId === null) return;
  const address = parseBrowseAddress(location.search);
  const group = address.group.length > 0 ? [] : byQuestion.group;
  go(filePath(fileId, formatBrowseAddress({ ...address, group })));
};

const focusFilter = (): void => document.getElementById('rollout-filter')?.focus();

const focusSearch = (): void => document.getElementById('rollouts-search')?.focus();

/** Tags and note of the row at the cursor; of the first row without a cursor. */
const openNotes = (): void => {
  const { selected, cursor, notesOpen } = useRollouts.getState();
  if (cursor === null && selected) moveCursor(1);
  useRollouts.setState({ notesOpen: !notesOpen });
};

/** Commands of the file table and the list of files. The reader has its own (`use-reader-keys.ts`). */
export const rolloutCommands = (go: (path: string) => void): Command[] => {
  const table = { group: 'Rollouts', when: isTable } as const;
  return [
    { ...table, name: 'Next rollout of the table', keys: ['j'], act: () => moveCursor(1) },
    { ...table, name: 'Previous rollout of the table', keys: ['k'], act: () => moveCursor(-1) },
    {
      ...table,
      name: 'Open the rollout',
      keys: ['Enter'],
      act: () => void openCursor(go),
    },
    { ...table, name: 'Group by question, on or off', keys: ['g'], act: toggleGroups(go) },
    { ...table, name: 'Filter the rollouts', keys: ['/'], act: focusFilter },
    {
      group: 'Rollouts',
      when: isList,
      // Without files there is no field.
      can: () => document.getElementById('rollouts-search') !== null,
      name: 'Search all rollouts',
      keys: ['/'],
      act: focusSearch,
    },
    { ...table, name: 'Bookmark the rollout', keys: ['b'], act: () => void toggleBookmark() },
    { ...table, name: 'Tags and note of the rollout', keys: ['t'], act: openNotes },
  ];
};
