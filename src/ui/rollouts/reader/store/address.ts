import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { pagePath } from '../../../kit/page/page-root.ts';
import { readerPath } from '../../store/browse-address.ts';

/** The address of a place in a rollout: rollout, view, position. */

/** Views of a rollout and their names, in the order of the tabs and of the number keys. */
export const VIEWS = {
  rounds: 'Rounds',
  text: 'Text',
  tokens: 'Tokens',
  group: 'Group',
  diff: 'Diff',
  scores: 'Scores',
  'what-if': 'What if',
  time: 'Time',
} as const;

/** Keys of `VIEWS`, used in addresses: renaming breaks links. */
export type ReaderView = keyof typeof VIEWS;

/** A rollout of a file of this browser. */
export interface RolloutName {
  fileId: string;
  rolloutId: string;
}

/** What the reader shows. 0-based here; in the address events and rounds count from 1. */
export interface ReaderAddress extends RolloutName {
  view: ReaderView;
  /** Segment (0-based); each is an event. */
  event: number | null;
  /** Round (0-based); its first event if no event is given. */
  round: number | null;
  /** Tokens (0-based), both ends included. */
  tokens: { from: number; to: number } | null;
  /** The other side of a diff. */
  other: RolloutName | null;
  /** The rest of the query: filter and order of the table. */
  rest: string;
}

/** Invalid encodings are kept as they are. */
const decode = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** A 1-based number; null for anything else. */
const counted = (text: string | null): number | null =>
  text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) - 1 : null;

const tokensOf = (text: string | null): ReaderAddress['tokens'] => {
  const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text ?? '');
  if (!match) return null;
  const [from, to] = [Number(match[1]), Number(match[2] ?? match[1])];
  return from <= to ? { from, to } : { from: to, to: from };
};

const otherOf = (text: string | null, fileId: string): RolloutName | null => {
  if (!text) return null;
  const [first, second] = text.split('/');
  if (first === undefined || first === '') return null;
  return second === undefined
    ? { fileId, rolloutId: decode(first) }
    : { fileId: decode(first), rolloutId: decode(second) };
};

/** Query fields of the reader; the others belong to the table. */
const OWN = ['view', 'event', 'round', 'tokens', 'with'];

const restOf = (search: string): string => {
  const query = new URLSearchParams(search);
  for (const name of OWN) query.delete(name);
  return query.toString();
};

/** @param path still encoded */
export const parseReaderAddress = (path: string, search: string): ReaderAddress => {
  const [, , file = '', rollout = ''] = path.split('/');
  const query = new URLSearchParams(search);
  const view = query.get('view') ?? '';
  const fileId = decode(file);
  return {
    fileId,
    rolloutId: decode(rollout),
    view: Object.hasOwn(VIEWS, view) ? (view as ReaderView) : 'rounds',
    event: counted(query.get('event')),
    round: counted(query.get('round')),
    tokens: tokensOf(query.get('tokens')),
    other: otherOf(query.get('with'), fileId),
    rest: restOf(search),
  };
};

/** The address that `parseReaderAddress` turns into the same place. */
export const formatReaderAddress = (address: ReaderAddress): string => {
  const { view, event, round, tokens, other } = address;
  const query = new URLSearchParams(address.rest);
  if (view !== 'rounds') query.set('view', view);
  if (event !== null) query.set('event', String(event + 1));
  else if (round !== null) query.set('round', String(round + 1));
  if (tokens) query.set('tokens', `${tokens.from}-${tokens.to}`);
  if (other) {
    const id = encodeURIComponent(other.rolloutId);
    const same = other.fileId === address.fileId;
    query.set('with', same ? id : `${encodeURIComponent(other.fileId)}/${id}`);
  }
  const text = query.toString();
  return readerPath(address.fileId, address.rolloutId, text ? `?${text}` : '');
};

/** The reader's place, and how to navigate. */
export interface Place {
  address: ReaderAddress;
  /** Another place in this rollout. */
  change: (change: Partial<Omit<ReaderAddress, 'fileId' | 'rolloutId' | 'rest'>>) => void;
  /**
   * Another rollout in the same view.
   * @param event its segment, shown in the rounds
   */
  open: (rollout: RolloutName, event?: number) => void;
}

/** The parsed address; a view change is a history entry, a step within it is not. */
export const usePlace = (): Place => {
  const [path, go] = useLocation();
  const search = useSearch();
  // The router decodes paths, after which ids with slashes would be ambiguous.
  const address = useMemo(
    () => parseReaderAddress(path && pagePath(), search && location.search),
    [path, search],
  );
  const change = useCallback<Place['change']>(
    (by) => {
      const now = parseReaderAddress(pagePath(), location.search);
      const moved = by.view !== undefined && by.view !== now.view;
      go(formatReaderAddress({ ...now, ...by }), { replace: !moved });
    },
    [go],
  );
  const open = useCallback<Place['open']>(
    (rollout, event) => {
      const { view, rest, fileId } = parseReaderAddress(pagePath(), location.search);
      const kept = view === 'diff' || event !== undefined ? 'rounds' : view;
      const start = { event: event ?? null, round: null, tokens: null, other: null };
      // Filter and order are of one file.
      const table = rollout.fileId === fileId ? rest : '';
      go(formatReaderAddress({ ...rollout, ...start, view: kept, rest: table }));
    },
    [go],
  );
  return useMemo(() => ({ address, change, open }), [address, change, open]);
};
