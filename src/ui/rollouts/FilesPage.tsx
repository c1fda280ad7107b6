import { Button, Checkbox, TextInput } from '@mantine/core';
import { useEffect, useState, type KeyboardEvent } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import type { FileRecord } from '../../lab/contract/records/rollout-files.ts';
import {
  DASH,
  formatBytes,
  formatCount,
  formatDayTime,
  formatShare,
  plural,
} from '../kit/words/format.ts';
import { ListTable } from '../kit/ListTable.tsx';
import {
  joinFiles,
  openOwn,
  reloadEvaluations,
  reloadFiles,
  reloadRuns,
  removeFile,
  type Own,
} from './store/browse-actions.ts';
import { FirstView } from './FirstView.tsx';
import { Icon } from '../kit/Icon.tsx';
import { SearchResults } from './search/SearchResults.tsx';
import { startSearch, stopSearch } from './search/search-actions.ts';
import { filePath, searchedFor, searchPath } from './store/browse-address.ts';
import { useRollouts } from './store/rollouts-store.ts';
import { BrowseShell, OpenButtons } from './Shell.tsx';
import { PARTIAL } from './words.ts';
import './rollouts.css';

/** The note below a file that was not read to its end. */
const STATUS: Record<FileRecord['status'], string> = {
  ready: '',
  importing: 'being read',
  interrupted: 'interrupted: has only the rows read before the page was closed',
};

/** A row of the table of files. EM is of the rollouts with gold answers; the count of unreadable lines links to their list. */
const FileRow = ({
  file,
  pick,
  picked,
}: {
  file: FileRecord;
  picked: boolean;
  pick: () => void;
}) => {
  const { id, name, statistics, layouts, faultCount } = file;
  return (
    <tr className={picked ? 'chosen' : ''}>
      <td>
        <Checkbox size="xs" aria-label={`Select ${name}`} checked={picked} onChange={pick} />
      </td>
      <th scope="row" className="row-name">
        <Link href={filePath(id)}>{name}</Link>
        {file.files === undefined ? null : <div className="fine">{plural(file.files, 'file')}</div>}
        {STATUS[file.status] === '' ? null : <div className="fine">{STATUS[file.status]}</div>}
      </th>
      <td className="wide-only">{Object.keys(layouts).join(', ')}</td>
      <td className="figure" data-label="rollouts">
        {formatCount(file.rollouts)}
        {PARTIAL[file.status]}
      </td>
      <td className="figure" data-label="EM (SQuAD)">
        {statistics?.scored ? formatShare(statistics.em.share) : DASH}
      </td>
      <td className="figure wide-only">
        {faultCount === 0 ? (
          DASH
        ) : (
          <Link href={filePath(id, '?view=lines')} className="tone-bad">
            {formatCount(faultCount)}
            {PARTIAL[file.status]}
          </Link>
        )}
      </td>
      <td className="figure wide-only">{formatBytes(file.bytes)}</td>
      <td className="wide-only fine">
        <time dateTime={file.importedAt}>{formatDayTime(file.importedAt)}</time>
      </td>
      <td>
        <button
          type="button"
          className="link"
          aria-label={`Delete ${name}`}
          onClick={() => void removeFile(id, name)}
        >
          delete
        </button>
      </td>
    </tr>
  );
};

/** Names and classes of the columns; a narrow screen hides those that are `wide-only`. */
const HEADS = [
  ['select', 'visually'],
  ['file', ''],
  ['layout', 'wide-only'],
  ['rollouts', 'figure'],
  ['EM (SQuAD)', 'figure'],
  ['unreadable', 'figure wide-only'],
  ['size', 'figure wide-only'],
  ['read', 'wide-only'],
  ['actions', 'visually'],
] as const;

/** What can be done with the checked files; a hint while none is checked. */
const PickedFiles = ({ files }: { files: readonly FileRecord[] }) => {
  const [, go] = useLocation();
  const [first, second] = files;
  if (!first) return <p className="fine">Select two or more files to read them in one table.</p>;
  const unread = files.some(({ status }) => status === 'importing');
  const few = second === undefined ? 'Select a second file' : null;
  return (
    <div className="editor-actions" role="group" aria-label="Selected files">
      <b>{plural(files.length, 'file')} selected</b>
      <Button
        size="compact-xs"
        disabled={few !== null || unread}
        title={few ?? (unread ? 'Wait until all are read' : 'Copies their rollouts to one file')}
        onClick={() => joinFiles(files, go)}
      >
        Open as one table
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        disabled={files.length !== 2}
        title={files.length === 2 ? undefined : 'Select exactly two files'}
        onClick={() => second && go(filePath(first.id, `?view=compare&with=${second.id}`))}
      >
        Compare question by question
      </Button>
    </div>
  );
};

const FilesTable = ({ files }: { files: readonly FileRecord[] }) => {
  const [ids, setIds] = useState<readonly string[]>([]);
  const toggle = (id: string): void =>
    setIds(ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]);
  return (
    <>
      <ListTable name="Files" heads={HEADS}>
        {files.map((file) => (
          <FileRow
            key={file.id}
            file={file}
            picked={ids.includes(file.id)}
            pick={() => toggle(file.id)}
          />
        ))}
      </ListTable>
      {files.length > 1 ? <PickedFiles files={files.filter(({ id }) => ids.includes(id))} /> : null}
    </>
  );
};

/** Training runs or evaluations of this browser. Opening one makes a file of the rollouts it has now. */
const OwnList = ({ title, all }: { title: string; all: readonly (Own & { size: string })[] }) => {
  const [, go] = useLocation();
  const [shown, setShown] = useState(10);
  if (all.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul className="own-runs">
        {all.slice(0, shown).map(({ size, ...own }) => (
          <li key={own.id}>
            <button type="button" className="link" onClick={() => openOwn(own, go)}>
              {own.name}
            </button>{' '}
            <span className="fine">{size}, as stored now</span>
          </li>
        ))}
      </ul>
      {all.length > shown ? (
        <button type="button" className="link" onClick={() => setShown(all.length)}>
          Show the other {formatCount(all.length - shown)}
        </button>
      ) : null}
    </section>
  );
};

const OwnLists = () => {
  const runs = useRollouts((state) => state.ownRuns);
  const evaluations = useRollouts((state) => state.ownEvaluations);
  return (
    <>
      <OwnList
        title="Rollouts of your training runs"
        all={runs.map(({ id, name, step }) => ({
          kind: 'run',
          id,
          name,
          size: plural(step, 'step'),
        }))}
      />
      <OwnList
        title="Rollouts of your evaluations"
        all={evaluations.map(({ id, name, done }) => ({
          kind: 'evaluation',
          id,
          name,
          size: plural(done, 'rollout'),
        }))}
      />
    </>
  );
};

/** Moves the focus from the search field to the first result. */
const enterResults = (): void => document.querySelector<HTMLElement>('.search-hit')?.focus();

/** A key that changes when files, runs or evaluations gain rollouts: results for another key are out of date. */
const searchedOver = (): string => {
  const { files, ownRuns, ownEvaluations } = useRollouts.getState();
  const parts = [
    ...files.map(({ id, status, rollouts }) => `${id} ${status} ${rollouts}`),
    ...ownRuns.map(({ id, step }) => `${id} ${step}`),
    ...ownEvaluations.map(({ id, done }) => `${id} ${done}`),
  ];
  return parts.join('\n');
};

/** Reads files, training runs and evaluations; true once all are read. A search started earlier would start again when they arrive. */
const useLists = (): boolean => {
  const [read, setRead] = useState(() => useRollouts.getState().status === 'ready');
  useEffect(() => {
    void Promise.all([reloadFiles(), reloadRuns(), reloadEvaluations()]).then(() => setRead(true));
  }, []);
  return read;
};

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
const SearchField = ({ searchText, again, search, enterList }: SearchFieldProps) => {
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
      if (same && useRollouts.getState().search.status !== 'searching') again();
      commit(text);
    }
    if (event.key === 'Escape') {
      event.stopPropagation();
      if (useRollouts.getState().search.status === 'searching') return stopSearch();
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

/** The page Rollouts: imported files and what was made here, or the results while the address has a search. */
const FilesPage = () => {
  const files = useRollouts((state) => state.files);
  const ownRuns = useRollouts((state) => state.ownRuns);
  const ownEvaluations = useRollouts((state) => state.ownEvaluations);
  const status = useRollouts((state) => state.status);
  const [, go] = useLocation();
  const searchText = searchedFor(useSearch());
  const some = files.length > 0 || ownRuns.length > 0 || ownEvaluations.length > 0;
  const read = useLists();
  return (
    <BrowseShell className="page work rollouts">
      <div className="page-bar">
        <h1>Rollouts</h1>
        {some ? (
          <SearchField
            searchText={searchText}
            again={() => void startSearch(searchText, searchedOver())}
            search={(text, further) => go(searchPath(text), { replace: further })}
            enterList={enterResults}
          />
        ) : null}
        <span className="grow" />
        {files.length > 0 ? <OpenButtons /> : null}
      </div>
      {status === 'waiting' ? <p role="status">Reading the list …</p> : null}
      {searchText !== '' && some ? (
        read && (
          <SearchResults
            searchText={searchText}
            over={searchedOver()}
            again={() => void startSearch(searchText, searchedOver())}
          />
        )
      ) : (
        <>
          {files.length > 0 ? <FilesTable files={files} /> : null}
          {status === 'ready' && files.length === 0 ? (
            <FirstView own={<OwnLists />} />
          ) : (
            <OwnLists />
          )}
        </>
      )}
    </BrowseShell>
  );
};

export default FilesPage;
