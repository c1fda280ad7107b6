import { create } from 'zustand';
import type {
  BrowseQuery,
  FilterFault,
  MatchingRow,
  BrowseResult,
} from '../../../lab/contract/rollouts.ts';
import { type Mark, BOOKMARK } from '../../../lab/contract/records/rollout-files.ts';
import { attempt, tellProblem } from './browse-actions.ts';
import { formatBrowseAddress, parseBrowseAddress, readerPath } from './browse-address.ts';
import { useBrowse } from './browse-store.ts';
import { displayOf, isRow, nextRow } from './browse-display.ts';
import { lab } from '../../lab/connection.ts';
import { ORDER_KEY } from './order-key.ts';

/** The selection on the screen: its order, loaded rows, and cursor. */
export interface SelectionStore {
  fileId: string | null;
  /** The last request. */
  query: BrowseQuery | null;
  selected: BrowseResult | null;
  loading: boolean;
  fault: FilterFault | null;
  /** Loaded rows by position in the file. */
  rows: ReadonlyMap<number, MatchingRow>;
  /** Cursor: position in the file. */
  cursor: number | null;
  /** Checked rows: positions in the file. */
  picked: ReadonlySet<number>;
  /** Keys of closed groups. */
  closed: ReadonlySet<string>;
  marks: ReadonlyMap<string, Mark>;
  /** Whether tags and notes of the cursor row are open. */
  notesOpen: boolean;
}

const EMPTY: SelectionStore = {
  fileId: null,
  query: null,
  selected: null,
  loading: false,
  fault: null,
  rows: new Map(),
  cursor: null,
  picked: new Set(),
  closed: new Set(),
  marks: new Map(),
  notesOpen: false,
};

/** Per file; another file starts empty. */
export const useSelection = create<SelectionStore>()(() => EMPTY);

/** One job name: a new selection cancels the running one. */
const JOB = 'browse';
/** More loaded rows are evicted when off screen. */
const MOST_ROWS = 3000;

const sameQuery = (a: BrowseQuery | null, b: BrowseQuery): boolean =>
  a !== null &&
  a.filter === b.filter &&
  a.group.join() === b.group.join() &&
  a.sort?.column === b.sort?.column &&
  a.sort?.descending === b.sort?.descending;

// Marks are stored by file name, because a new import has another id.
const readMarks = async (fileId: string): Promise<void> => {
  const name = (await lab().rollouts.files()).find(({ id }) => id === fileId)?.name;
  if (name === undefined) return;
  const marks = await lab().rollouts.marks(name);
  if (useSelection.getState().fileId === fileId)
    useSelection.setState({ marks: new Map(marks.map((mark) => [mark.rollout, mark])) });
};

/**
 * Selects in a file; no effect for the current selection.
 * @param again also then
 */
export const showSelection = async (
  fileId: string,
  query: BrowseQuery,
  again = false,
): Promise<void> => {
  const shown = useSelection.getState();
  const sameFile = shown.fileId === fileId;
  if (sameFile && sameQuery(shown.query, query) && !again) return;
  const asked: BrowseQuery = { filter: query.filter, sort: query.sort, group: query.group };
  const sameFilter = shown.query?.filter === query.filter;
  useSelection.setState({
    ...(sameFile ? {} : EMPTY),
    ...(sameFilter ? {} : { picked: EMPTY.picked }),
    fileId,
    query: asked,
    loading: true,
  });
  if (!sameFile) void attempt('Bookmarks and notes could not be read', () => readMarks(fileId));
  try {
    const outcome = await lab().rollouts.browse(JOB, fileId, asked);
    const now = useSelection.getState();
    if (outcome.status === 'cancelled' || now.fileId !== fileId || now.query !== asked) return;
    if (outcome.status === 'fault')
      return useSelection.setState({ fault: outcome, loading: false });
    const { status: _, ...selected } = outcome;
    useSelection.setState({ selected, fault: null, loading: false });
  } catch (error) {
    const now = useSelection.getState();
    // Another request has replaced it.
    if (now.fileId !== fileId || now.query !== asked) return;
    useSelection.setState({ loading: false });
    tellProblem('The rollouts could not be selected', error);
  }
};

let requestedRows: readonly number[] = [];
let fetching = false;

/** Loads visible rows; of concurrent calls the last one counts. */
export const wantRows = (positions: readonly number[]): void => {
  const { rows } = useSelection.getState();
  requestedRows = positions.filter((at) => !rows.has(at));
  if (!fetching && requestedRows.length > 0) void fetchRows();
};

const fetchRows = async (): Promise<void> => {
  fetching = true;
  try {
    while (requestedRows.length > 0) {
      const { fileId } = useSelection.getState();
      if (fileId === null) return;
      const batch = requestedRows;
      requestedRows = [];
      const found = await lab().rollouts.rowsAt(fileId, batch);
      const { rows, fileId: now } = useSelection.getState();
      if (now !== fileId) continue;
      // All at once: visible ones are loaded again on the next scroll.
      const kept = rows.size > MOST_ROWS ? [] : rows;
      useSelection.setState({
        rows: new Map([...kept, ...found.map((row) => [row.position, row] as const)]),
      });
    }
  } catch (error) {
    tellProblem('Rows could not be read', error);
  } finally {
    fetching = false;
  }
};

/** Keys may have moved the cursor to an unloaded row. */
const rowUnderCursor = async (): Promise<MatchingRow | null> => {
  const { fileId, cursor, rows } = useSelection.getState();
  if (fileId === null || cursor === null) return null;
  return rows.get(cursor) ?? (await lab().rollouts.rowsAt(fileId, [cursor]))[0] ?? null;
};

/** Moves the cursor over visible rows, skipping group heads. */
export const moveCursor = (by: 1 | -1): void => {
  const { selected, closed, cursor } = useSelection.getState();
  if (!selected) return;
  const next = nextRow(displayOf(selected, closed), cursor, by);
  if (next !== null) useSelection.setState({ cursor: next });
};

/** Table state in the reader's address. */
const kept = (): string =>
  formatBrowseAddress({ ...parseBrowseAddress(location.search), view: 'table', other: null });

/** Most neighbour ids for the reader, because storage is limited. */
const MOST_ORDER = 10_000;

const rememberOrder = async (fileId: string, position: number): Promise<void> => {
  const { selected, closed } = useSelection.getState();
  if (!selected) return;
  const rows = displayOf(selected, closed).filter(isRow);
  const from = Math.max(0, rows.indexOf(position) - MOST_ORDER / 2);
  const ids = await lab().rollouts.ids(fileId, [...rows.subarray(from, from + MOST_ORDER)]);
  try {
    sessionStorage.setItem(ORDER_KEY, JSON.stringify({ fileId, ids }));
  } catch {
    // Without it the reader uses the file's order.
  }
};

/** Opens a rollout in the reader, which continues in table order. */
export const openRow = async (
  { position, row }: Pick<MatchingRow, 'position' | 'row'>,
  go: (path: string) => void,
): Promise<void> => {
  const { fileId } = useSelection.getState();
  if (fileId === null) return;
  useSelection.setState({ cursor: position });
  await rememberOrder(fileId, position).catch(() => undefined);
  go(readerPath(fileId, row.id, kept()));
};

/** Opens the cursor's rollout in the reader; no effect without a cursor. */
export const openCursor = async (go: (path: string) => void): Promise<void> => {
  const row = await attempt('The rollout could not be found', rowUnderCursor);
  if (row) await openRow(row, go);
};

/** Puts stored marks into the rows that are shown. */
const showMarks = (made: ReadonlyMap<string, Mark>): void =>
  useSelection.setState(({ marks, rows }) => ({
    marks: new Map([...marks, ...made]),
    rows: new Map(
      [...rows].map(([at, found]) => {
        const mark = made.get(found.row.id);
        if (!mark) return [at, found];
        const tags = [...(mark.bookmarked ? [BOOKMARK] : []), ...mark.tags];
        return [at, { ...found, row: { ...found.row, tags } }];
      }),
    ),
  }));

/** Changes the marks of a rollout. */
export const markRollout = async (
  rollout: string,
  change: Partial<Pick<Mark, 'bookmarked' | 'tags' | 'note'>>,
): Promise<void> => {
  const { fileId } = useSelection.getState();
  const name = useBrowse.getState().files.find(({ id }) => id === fileId)?.name;
  if (name === undefined) return;
  await attempt('The note could not be stored', async () => {
    const mark = await lab().rollouts.mark(name, rollout, change);
    // Another file with the same rollout id may be shown by now.
    if (useSelection.getState().fileId === fileId) showMarks(new Map([[rollout, mark]]));
  });
};

/** The last checked row, from which a click with Shift extends. */
let lastPicked: number | null = null;

/**
 * Checks a row, or takes the check away.
 * @param range also all rows between it and the last one, in the order of the table
 */
export const pickRow = (position: number, range: boolean): void => {
  const { selected, closed, picked } = useSelection.getState();
  const next = new Set(picked);
  const on = !next.has(position);
  const rows = selected ? [...displayOf(selected, closed)].filter(isRow) : [];
  const [from, to] = [rows.indexOf(lastPicked ?? -1), rows.indexOf(position)];
  const between =
    range && from >= 0 && to >= 0
      ? rows.slice(Math.min(from, to), Math.max(from, to) + 1)
      : [position];
  for (const row of between)
    if (on) next.add(row);
    else next.delete(row);
  lastPicked = position;
  useSelection.setState({ picked: next });
};

/** Checks all rows that pass the filter, or none. */
export const pickAll = (on: boolean): void =>
  useSelection.setState(({ selected }) => ({
    picked: new Set(on && selected ? selected.order : []),
  }));

/**
 * Changes the marks of all checked rollouts.
 * @param change what becomes of the marks that a rollout has
 */
export const markPicked = async (
  change: (mark: Pick<Mark, 'bookmarked' | 'tags'>) => Partial<Pick<Mark, 'bookmarked' | 'tags'>>,
): Promise<void> => {
  const { fileId, picked } = useSelection.getState();
  const name = useBrowse.getState().files.find(({ id }) => id === fileId)?.name;
  if (fileId === null || name === undefined || picked.size === 0) return;
  await attempt('The tags could not be stored', async () => {
    const ids = await lab().rollouts.ids(fileId, [...picked]);
    const made = new Map<string, Mark>();
    for (const id of ids) {
      const { bookmarked = false, tags = [] } = useSelection.getState().marks.get(id) ?? {};
      made.set(id, await lab().rollouts.mark(name, id, change({ bookmarked, tags })));
    }
    if (useSelection.getState().fileId !== fileId) return;
    showMarks(made);
  });
};

/** Toggles the bookmark of the cursor's rollout. */
export const toggleBookmark = async (): Promise<void> => {
  const row = await attempt('The rollout could not be found', rowUnderCursor);
  if (!row) return;
  const bookmarked = useSelection.getState().marks.get(row.row.id)?.bookmarked ?? false;
  await markRollout(row.row.id, { bookmarked: !bookmarked });
};

/**
 * Toggles a group.
 * @param key of the group, stable across sorting
 */
export const toggleClosed = (key: string): void =>
  useSelection.setState(({ closed }) => {
    const next = new Set(closed);
    if (!next.delete(key)) next.add(key);
    return { closed: next };
  });

/** Closes every group, or opens all if all are closed. */
export const toggleAllClosed = (): void =>
  useSelection.setState(({ selected, closed }) => {
    const keys = (selected?.groups ?? []).map(({ key }) => key);
    return { closed: keys.every((key) => closed.has(key)) ? new Set() : new Set(keys) };
  });
