import type { BrowseQuery, MatchingRow } from '../../../lab/contract/rollouts.ts';
import { type Mark, BOOKMARK } from '../../../lab/contract/records/rollout-files.ts';
import { attempt, tellProblem } from './browse-actions.ts';
import {
  formatBrowseAddress,
  ORDER_KEY,
  parseBrowseAddress,
  readerPath,
} from './browse-address.ts';
import { NO_SELECTION, useRollouts } from './rollouts-store.ts';
import { displayOf, isRow, nextRow } from './browse-display.ts';
import { lab } from '../../lab/connection.ts';

/** Actions of the selection on the screen. */

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
  if (useRollouts.getState().fileId === fileId)
    useRollouts.setState({ marks: new Map(marks.map((mark) => [mark.rollout, mark])) });
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
  const shown = useRollouts.getState();
  const sameFile = shown.fileId === fileId;
  if (sameFile && sameQuery(shown.query, query) && !again) return;
  const asked: BrowseQuery = { filter: query.filter, sort: query.sort, group: query.group };
  const sameFilter = shown.query?.filter === query.filter;
  useRollouts.setState({
    ...(sameFile ? {} : NO_SELECTION),
    ...(sameFilter ? {} : { picked: NO_SELECTION.picked }),
    fileId,
    query: asked,
    loading: true,
  });
  if (!sameFile) void attempt('Bookmarks and notes could not be read', () => readMarks(fileId));
  try {
    const outcome = await lab().rollouts.browse(JOB, fileId, asked);
    const now = useRollouts.getState();
    if (outcome.status === 'cancelled' || now.fileId !== fileId || now.query !== asked) return;
    if (outcome.status === 'fault') return useRollouts.setState({ fault: outcome, loading: false });
    const { status: _, ...selected } = outcome;
    useRollouts.setState({ selected, fault: null, loading: false });
  } catch (error) {
    const now = useRollouts.getState();
    // Another request has replaced it.
    if (now.fileId !== fileId || now.query !== asked) return;
    useRollouts.setState({ loading: false });
    tellProblem('The rollouts could not be selected', error);
  }
};

let requestedRows: readonly number[] = [];
let fetching = false;

/** Loads visible rows; of concurrent calls the last one counts. */
export const wantRows = (positions: readonly number[]): void => {
  const { rows } = useRollouts.getState();
  requestedRows = positions.filter((at) => !rows.has(at));
  if (!fetching && requestedRows.length > 0) void fetchRows();
};

const fetchRows = async (): Promise<void> => {
  fetching = true;
  try {
    while (requestedRows.length > 0) {
      const { fileId } = useRollouts.getState();
      if (fileId === null) return;
      const batch = requestedRows;
      requestedRows = [];
      const found = await lab().rollouts.rowsAt(fileId, batch);
      const { rows, fileId: now } = useRollouts.getState();
      if (now !== fileId) continue;
      // All at once: visible ones are loaded again on the next scroll.
      const kept = rows.size > MOST_ROWS ? [] : rows;
      useRollouts.setState({
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
  const { fileId, cursor, rows } = useRollouts.getState();
  if (fileId === null || cursor === null) return null;
  return rows.get(cursor) ?? (await lab().rollouts.rowsAt(fileId, [cursor]))[0] ?? null;
};

/** Moves the cursor over visible rows, skipping group heads. */
export const moveCursor = (by: 1 | -1): void => {
  const { selected, closed, cursor } = useRollouts.getState();
  if (!selected) return;
  const next = nextRow(displayOf(selected, closed), cursor, by);
  if (next !== null) useRollouts.setState({ cursor: next });
};

/** Table state in the reader's address. */
const kept = (): string =>
  formatBrowseAddress({ ...parseBrowseAddress(location.search), view: 'table', other: null });

/** Most neighbour ids for the reader, because storage is limited. */
const MOST_ORDER = 10_000;

const rememberOrder = async (fileId: string, position: number): Promise<void> => {
  const { selected, closed } = useRollouts.getState();
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
  const { fileId } = useRollouts.getState();
  if (fileId === null) return;
  useRollouts.setState({ cursor: position });
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
  useRollouts.setState(({ marks, rows }) => ({
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
  const { fileId } = useRollouts.getState();
  const name = useRollouts.getState().files.find(({ id }) => id === fileId)?.name;
  if (name === undefined) return;
  await attempt('The note could not be stored', async () => {
    const mark = await lab().rollouts.mark(name, rollout, change);
    // Another file with the same rollout id may be shown by now.
    if (useRollouts.getState().fileId === fileId) showMarks(new Map([[rollout, mark]]));
  });
};

/** The last checked row, from which a click with Shift extends. */
let lastPicked: number | null = null;

/**
 * Checks a row, or takes the check away.
 * @param range also all rows between it and the last one, in the order of the table
 */
export const pickRow = (position: number, range: boolean): void => {
  const { selected, closed, picked } = useRollouts.getState();
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
  useRollouts.setState({ picked: next });
};

/** Checks all rows that pass the filter, or none. */
export const pickAll = (on: boolean): void =>
  useRollouts.setState(({ selected }) => ({
    picked: new Set(on && selected ? selected.order : []),
  }));

/**
 * Changes the marks of all checked rollouts.
 * @param change what becomes of the marks that a rollout has
 */
export const markPicked = async (
  change: (mark: Pick<Mark, 'bookmarked' | 'tags'>) => Partial<Pick<Mark, 'bookmarked' | 'tags'>>,
): Promise<void> => {
  const { fileId, picked } = useRollouts.getState();
  const name = useRollouts.getState().files.find(({ id }) => id === fileId)?.name;
  if (fileId === null || name === undefined || picked.size === 0) return;
  await attempt('The tags could not be stored', async () => {
    const ids = await lab().rollouts.ids(fileId, [...picked]);
    const made = new Map<string, Mark>();
    for (const id of ids) {
      const { bookmarked = false, tags = [] } = useRollouts.getState().marks.get(id) ?? {};
      made.set(id, await lab().rollouts.mark(name, id, change({ bookmarked, tags })));
    }
    if (useRollouts.getState().fileId !== fileId) return;
    showMarks(made);
  });
};

/** Toggles the bookmark of the cursor's rollout. */
export const toggleBookmark = async (): Promise<void> => {
  const row = await attempt('The rollout could not be found', rowUnderCursor);
  if (!row) return;
  const bookmarked = useRollouts.getState().marks.get(row.row.id)?.bookmarked ?? false;
  await markRollout(row.row.id, { bookmarked: !bookmarked });
};

/**
 * Toggles a group.
 * @param key of the group, stable across sorting
 */
export const toggleClosed = (key: string): void =>
  useRollouts.setState(({ closed }) => {
    const next = new Set(closed);
    if (!next.delete(key)) next.add(key);
    return { closed: next };
  });

/** Closes every group, or opens all if all are closed. */
export const toggleAllClosed = (): void =>
  useRollouts.setState(({ selected, closed }) => {
    const keys = (selected?.groups ?? []).map(({ key }) => key);
    return { closed: keys.every((key) => closed.has(key)) ? new Set() : new Set(keys) };
  });
