import { Button } from '@mantine/core';
import { Select } from '../../kit/Select.tsx';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Link, useLocation, useParams, useSearch } from 'wouter';
import type { KnownValues } from '../../../evaluate/rollouts/filter/complete.ts';
import { rolloutsVerdict } from '../../../evaluate/rollouts/verdict.ts';
import { lacksLine } from '../../../evaluate/rollouts/missing-parts.ts';
import type { FileRecord } from '../../../lab/contract/records/rollout-files.ts';
import { VerdictLine } from '../../kit/page/VerdictLine.tsx';
import { formatCount, plural, DASH } from '../../kit/words/format.ts';
import { openOwnRun, reloadFiles, removeFile } from '../store/browse-actions.ts';
import {
  filePath,
  formatBrowseAddress,
  narrowed,
  parseBrowseAddress,
  type BrowseAddress,
  type BrowseView,
} from '../store/browse-address.ts';
import { showSelection, toggleAllClosed } from '../store/browse-selection.ts';
import { fileById, useRollouts } from '../store/rollouts-store.ts';
import { isNarrow } from '../../kit/page/screen.ts';
import { usualColumns } from '../table/columns.ts';
import { CompareFiles } from '../CompareFiles.tsx';
import { sizeOf, figuresOf, firstFigures } from '../table/definitions.ts';
import { Disagreements } from '../Disagreements.tsx';
import { JudgeView } from '../judge/JudgeView.tsx';
import { FilterField } from './FilterField.tsx';
import { GROUPINGS } from './groupings.ts';
import { ColumnsMenu, ExportMenu, ViewsMenu } from './Menus.tsx';
import { Notes } from './Notes.tsx';
import { Panel } from './Panel.tsx';
import { PickedBar } from './PickedBar.tsx';
import { RolloutTable } from '../table/RolloutTable.tsx';
import { BrowseShell } from '../Shell.tsx';
import { PARTIAL, PARTIAL_NOTE } from '../words.ts';
import { Terms } from '../../kit/words/explain/Term.tsx';
import type { Unknown } from '../../../evaluate/rollouts/filter/unknown.ts';

/** Lines of the file that could not be read, with their numbers and why. */
export const UnreadLines = ({ file }: { file: FileRecord }) => (
  <section className="browse-body" aria-label="Unreadable lines">
    <p>
      {file.faultCount === 0
        ? 'Every line of the file was read.'
        : `${plural(file.faultCount, 'line')} could not be read; the other ${formatCount(file.rollouts)} are here.`}
      {file.faultCount > file.faults.length
        ? ` The first ${formatCount(file.faults.length)} are listed.`
        : ''}
    </p>
    <table className="list-table">
      <tbody>
        {file.faults.map(({ file: name, line, reason }) => (
          <tr key={`${name} ${line} ${reason}`}>
            <th scope="row" className="figure">
              {name} {line === 0 ? '' : `line ${formatCount(line)}`}
            </th>
            <td className="free">{reason}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

/** Fields in the filter that rollouts lack: which, how many rollouts, and why. */
export const UnknownNote = (props: {
  unknown: readonly Unknown[];
  /** Shows the rollouts that lack the field. */
  show: (filter: string) => void;
}) =>
  props.unknown.length === 0 ? null : (
    <div className="note unknown-note" role="status">
      {props.unknown.map(({ field, rows, of, why }) => (
        <p key={field}>
          <b>
            <code>{field}</code> is unknown for {formatCount(rows)} of {plural(of, 'rollout')}
          </b>
          : {why}. Unknown is not zero: no comparison with it is true, even with “not”.{' '}
          <button type="button" className="link" onClick={() => props.show(`${field} is missing`)}>
            show {rows === 1 ? 'it' : 'them'}
          </button>
        </p>
      ))}
    </div>
  );

/**
 * Statistics of the file with definitions; a click shows the cases. With a filter: statistics of the
 * filtered rollouts, and the file's below. Five are shown, on a phone three, and all on request.
 */
const Figures = (props: {
  file: FileRecord;
  filtered: boolean;
  /** Replaces the current filter. */
  show: (filter: string) => void;
}) => {
  const { file, filtered, show } = props;
  const selected = useRollouts((state) => state.selected);
  const fileId = useRollouts((state) => state.fileId);
  const [all, setAll] = useState(false);
  const statistics = file.statistics;
  if (!statistics)
    return (
      <p className="fine">
        {file.status === 'importing'
          ? 'Statistics of the whole file appear when it is fully read; the rows read so far can be used now.'
          : 'The file was only read in part, so there are no statistics. Open it again to read all of it.'}
      </p>
    );
  const passing =
    filtered && selected && fileId === file.id
      ? new Map(figuresOf(selected.statistics).map((one) => [one.id, one]))
      : null;
  const figures = figuresOf(statistics);
  const few = firstFigures(figures);
  return (
    <>
      <dl className={all ? 'file-figures' : 'file-figures few'} data-testid="file-figures">
        {(all ? figures : few).map(({ id, name, value, more, note, filter }) => {
          const own = passing ? passing.get(id) : { value, more };
          const shown = `${own?.value ?? DASH} ${own?.more ?? ''}`;
          return (
            <div key={id} data-figure={id}>
              <dt title={note}>
                <Terms>{name}</Terms>
              </dt>
              <dd>
                <button
                  type="button"
                  className="figure-button"
                  title={`${note}\nClick to filter: ${filter}`}
                  aria-label={`${name}: ${shown}${passing ? `, whole file ${value}` : ''}. Show the cases`}
                  onClick={() => show(filter)}
                >
                  <b>{own?.value ?? DASH}</b> <span className="fine">{own?.more}</span>
                </button>
              </dd>
              {passing ? <dd className="fine figure-all">all: {value}</dd> : null}
            </div>
          );
        })}
      </dl>
      {figures.length > few.length ? (
        <button
          type="button"
          className="link figures-toggle"
          aria-expanded={all}
          onClick={() => setAll(!all)}
        >
          {all ? 'Fewer numbers' : `All ${figures.length} numbers`}
        </button>
      ) : null}
    </>
  );
};

import '../rollouts.css';
import './file.css';
import './flow.css';
import '../table/table.css';
import '../compare.css';
import '../histogram/histogram.css';

/** All view state is in the address. `replace` is for typing, so that "back" does not undo single letters. */
type Change = (change: Partial<BrowseAddress>, options?: { replace?: boolean }) => void;

/** Fields that the file lacks, in one line. */
const Lacks = ({ file }: { file: FileRecord }) => {
  const missing = lacksLine(file.lacks ?? {}, file.rollouts);
  return missing === null ? null : <p className="fine">Not in this file: {missing}.</p>;
};

/** What the whole file comes to; while it is read, the rows so far. */
const FileVerdict = ({ file }: { file: FileRecord }) => {
  const soFar = useRollouts(({ fileId, query, selected }) =>
    fileId === file.id && query?.filter === '' ? (selected?.statistics ?? null) : null,
  );
  const statistics = file.statistics ?? soFar;
  return statistics ? (
    <VerdictLine verdict={rolloutsVerdict(statistics, file.status === 'importing')} />
  ) : null;
};

/** Why a view has nothing to show of this file; null where it has. */
const unfilled = (view: BrowseView, { statistics }: FileRecord, files: number): string | null => {
  if (view === 'compare' && files < 2) return 'Compare needs a second file: open one on this page.';
  if (!statistics || (view !== 'disagreements' && view !== 'judge')) return null;
  if (view === 'disagreements' && statistics.scored === 0)
    return 'Disagreements needs gold answers and answers that can be read; this file has none.';
  return view === 'judge' && statistics.scored === 0 && !statistics.judge
    ? 'Judge needs gold answers and answers that can be read; this file has none.'
    : null;
};

/** The view tabs; unreadable lines only if there are some. Those that this file cannot fill are grey and say why. */
const Tabs = (props: { file: FileRecord; view: BrowseView; change: Change }) => {
  const names: [BrowseView, string][] = [
    ['table', 'Table'],
    ['disagreements', 'Disagreements'],
    ['judge', 'Judge'],
    ['compare', 'Compare'],
    ...(props.file.faultCount > 0
      ? ([
          [
            'lines',
            `Unreadable lines ${formatCount(props.file.faultCount)}${PARTIAL[props.file.status]}`,
          ],
        ] as [BrowseView, string][])
      : []),
  ];
  const files = useRollouts((state) => state.files.length);
  const [reason, setReason] = useState<string | null>(null);
  return (
    <nav className="view-tabs" aria-label="Views of the file">
      {names.map(([view, name]) => {
        const why = unfilled(view, props.file, files);
        return (
          <button
            key={view}
            type="button"
            className={view === props.view ? 'choice chosen' : 'choice'}
            aria-current={view === props.view ? 'page' : undefined}
            aria-disabled={why !== null}
            title={why ?? undefined}
            onClick={() => {
              setReason(why);
              if (why === null) props.change({ view });
            }}
          >
            {name}
          </button>
        );
      })}
      <span className="fine" role="status">
        {reason}
      </span>
    </nav>
  );
};

/** Name and size of the file, its tabs, and actions on the whole file. */
const Head = (props: { file: FileRecord; view: BrowseView; change: Change }) => {
  const { file } = props;
  const [, go] = useLocation();
  // During an import its progress is ahead of the stored record.
  const read = useRollouts(
    ({ jobs }) => jobs.find(({ progress }) => progress?.fileId === file.id)?.progress?.rollouts,
  );
  // Files made from a training run here have its id in theirs; they can be read again as it goes
  // on.
  const own = file.id.startsWith('run-') ? file.id.slice('run-'.length) : null;
  return (
    <header className="file-head">
      <h1 className="ellipsis">
        <Link href="/rollouts">Rollouts</Link> / <span>{file.name}</span>
      </h1>
      <span className="fine">
        {file.statistics
          ? sizeOf(file.statistics)
          : `${plural(read ?? file.rollouts, 'rollout')}${PARTIAL[file.status]}`}{' '}
        · {Object.keys(file.layouts).join(', ')}
      </span>
      <span className="grow" />
      <Tabs {...props} />
      {own === null ? null : (
        <Button
          size="compact-xs"
          variant="default"
          title="Loads the rollouts that the run has stored since"
          onClick={() => openOwnRun(own, file.name.replace(/^run /, ''), go)}
        >
          Refresh
        </Button>
      )}
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => {
          void removeFile(file.id, file.name);
          go('/rollouts');
        }}
      >
        Delete
      </Button>
    </header>
  );
};

/** Applies the address; again while the file is being read. */
const useAsked = (file: FileRecord | undefined, fileId: string, address: BrowseAddress) => {
  const { filter, sort, group } = address;
  const key = JSON.stringify([filter, sort, group]);
  // Each chunk extends the selection; the effect below waits for a pause.
  const chunks = useRollouts(
    ({ jobs }) => jobs.find(({ progress }) => progress?.fileId === fileId)?.progress?.chunks ?? 0,
  );
  useEffect(() => {
    if (file) void showSelection(fileId, { filter, sort, group });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key holds the query
  }, [file?.id, fileId, key]);
  const status = file?.status;
  const importedAt = file?.importedAt;
  useEffect(() => {
    if (status === undefined) return undefined;
    const timer = setTimeout(() => {
      // The current request counts, not the one from when the file grew.
      const { fileId: shown, query } = useRollouts.getState();
      if (shown === fileId && query) void showSelection(fileId, query, true);
    }, 400);
    return () => clearTimeout(timer);
  }, [fileId, chunks, status, importedAt]);
};

/** Filter, grouping, columns and export. State is in the address, except whether the panel is open. */
const Toolbar = (props: {
  file: FileRecord;
  address: BrowseAddress;
  columns: readonly string[];
  change: Change;
  panel: boolean;
  togglePanel: () => void;
}) => {
  const { file, address, columns, change, panel } = props;
  const selected = useRollouts((state) => state.selected);
  const loading = useRollouts((state) => state.loading);
  const marks = useRollouts((state) => state.marks);
  const clauses = useMemo(() => selected?.clauses ?? [], [selected]);
  // What the filter can complete with: clauses and tags are of this file, the fields are the
  // language’s own.
  const known: KnownValues = useCallback(
    (field) => {
      if (field === 'reward.') return clauses;
      if (field === 'tags') return ['★', ...[...marks.values()].flatMap(({ tags }) => tags)];
      return [];
    },
    [clauses, marks],
  );
  const grouping = GROUPINGS.findIndex(({ group }) => group.join() === address.group.join());
  return (
    <div className="browse-bar">
      <FilterField
        filter={address.filter}
        setFilter={(filter, typed) => change({ filter }, { replace: typed })}
        known={known}
        matched={selected?.order.length ?? null}
        total={selected?.total ?? null}
        partial={PARTIAL[file.status]}
        loading={loading}
      />
      <Select
        size="xs"
        aria-label="Group the table (g)"
        data={GROUPINGS.map(({ name }, index) => ({ value: String(index), label: name }))}
        value={String(Math.max(0, grouping))}
        onChange={(event) =>
          change({ group: GROUPINGS[Number(event.currentTarget.value)]?.group ?? [] })
        }
      />
      {address.group.length > 0 ? (
        <button type="button" className="link" onClick={toggleAllClosed}>
          close or open all
        </button>
      ) : null}
      <ViewsMenu address={address} change={change} />
      <ColumnsMenu shown={columns} clauses={clauses} change={change} />
      {selected ? <ExportMenu file={file} selected={selected} columns={columns} /> : null}
      <Button
        size="compact-xs"
        variant={panel ? 'light' : 'default'}
        aria-pressed={panel}
        onClick={props.togglePanel}
      >
        Overview
      </Button>
    </div>
  );
};

/**
 * The table with toolbar, notes and overview. The store may still hold another file's selection, which
 * is not shown.
 */
const TableView = (props: { file: FileRecord; address: BrowseAddress; change: Change }) => {
  const { file, address, change } = props;
  // On a narrow screen the overview is below the table and scrolls into view on request.
  const [panel, setPanel] = useState(!isNarrow());
  const main = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (panel && isNarrow()) main.current?.querySelector('.browse-panel')?.scrollIntoView();
  }, [panel]);
  const selected = useRollouts((state) => state.selected);
  const fileId = useRollouts((state) => state.fileId);
  const marks = useRollouts((state) => state.marks);
  const tagged = [...marks.values()].some((mark) => mark.bookmarked || mark.tags.length > 0);
  const columns = useMemo(
    () =>
      address.columns ??
      usualColumns(
        file.statistics ?? selected?.statistics ?? null,
        selected === null
          ? undefined
          : {
              ...selected,
              // Tags are added here, before the rows are read again.
              empty: selected.empty.filter((name) => name !== 'tags' || !tagged),
            },
      ),
    [address.columns, file.statistics, selected, tagged],
  );
  const search = useSearch();
  const shown = fileId === file.id ? selected : null;
  return (
    <>
      <Toolbar {...props} columns={columns} panel={panel} togglePanel={() => setPanel(!panel)} />
      <Notes />
      {shown ? <PickedBar file={file} selected={shown} columns={columns} /> : null}
      {shown ? (
        <UnknownNote unknown={shown.unknown} show={(filter) => props.change({ filter })} />
      ) : null}
      <div ref={main} className="browse-main">
        {shown ? (
          <RolloutTable
            fileId={file.id}
            selected={shown}
            columns={columns}
            sort={address.sort}
            setSort={(sort) => change({ sort })}
            search={search === '' ? '' : `?${search}`}
          />
        ) : (
          <p role="status">Reading the rows …</p>
        )}
        {panel && shown ? (
          <Panel
            fileId={file.id}
            filter={address.filter}
            selected={shown}
            partial={PARTIAL_NOTE[file.status]}
            setFilter={(filter) => change({ filter })}
            narrow={(more) => change({ filter: narrowed(address.filter, more), view: 'table' })}
          />
        ) : null}
      </div>
    </>
  );
};

/** One imported file: its numbers, its rollouts, and what can be asked of them. */
const FilePage = () => {
  const { fileId } = useParams<{ fileId: string }>();
  const search = useSearch();
  const [, go] = useLocation();
  const address = useMemo(() => parseBrowseAddress(search), [search]);
  const file = useRollouts((state) => fileById(state, fileId));
  const status = useRollouts((state) => state.status);
  useEffect(() => void reloadFiles(), []);
  useAsked(file, fileId, address);
  const change: Change = (change, options) =>
    go(filePath(fileId, formatBrowseAddress({ ...address, ...change })), options);
  if (!file)
    return (
      <BrowseShell className="page rollouts">
        {status === 'waiting' ? (
          <p role="status">Reading the list of files …</p>
        ) : (
          <>
            <h1>This file is not here</h1>
            <p>
              It was deleted, or imported in another browser: files stay in the browser that
              imported them. <Link href="/rollouts">See the files in this browser</Link>, or drop it
              on this page.
            </p>
          </>
        )}
      </BrowseShell>
    );
  return (
    <BrowseShell className="page rollouts file">
      <Head file={file} view={address.view} change={change} />
      {address.view === 'compare' ? null : <FileVerdict file={file} />}
      <Figures
        file={file}
        filtered={address.view === 'table' && address.filter !== ''}
        show={(filter) => change({ filter, view: 'table' })}
      />
      <Lacks file={file} />
      {address.view === 'table' || PARTIAL_NOTE[file.status] === null ? null : (
        <p className="fine">{PARTIAL_NOTE[file.status]}</p>
      )}
      {address.view === 'table' ? (
        <TableView file={file} address={address} change={change} />
      ) : null}
      {address.view === 'disagreements' ? (
        <Disagreements file={file} search={search === '' ? '' : `?${search}`} />
      ) : null}
      {address.view === 'judge' ? (
        <JudgeView key={file.id} file={file} search={search === '' ? '' : `?${search}`} />
      ) : null}
      {address.view === 'compare' ? (
        <CompareFiles file={file} address={address} change={change} />
      ) : null}
      {address.view === 'lines' ? <UnreadLines file={file} /> : null}
    </BrowseShell>
  );
};

export default FilePage;
