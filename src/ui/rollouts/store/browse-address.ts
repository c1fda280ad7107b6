import type { Criterion } from '../../../evaluate/rollouts/compare-runs.ts';
import type { BrowseQuery } from '../../../lab/contract/rollouts.ts';
import { GROUP_FIELDS, type GroupField } from '../../../lab/contract/records/rollout-files.ts';
import { pickOf } from '../../kit/pick-of.ts';

/** State in the address of a rollout file: filter, order, groups, columns, view. */

const VIEWS = ['table', 'disagreements', 'judge', 'compare', 'lines'] as const;

/** View of a file: the table or another tab. */
export type BrowseView = (typeof VIEWS)[number];

/** Scores for comparing files: answer metrics with either normaliser, or the judge. */
export const CRITERIA = [
  'em',
  'coverEm',
  'subEm',
  'f1',
  'em.r1-searcher',
  'coverEm.r1-searcher',
  'subEm.r1-searcher',
  'f1.r1-searcher',
  'judge',
] as const satisfies Criterion[];

/** What is shown of a file. */
export interface BrowseAddress extends BrowseQuery {
  /** Column names in order; null: automatic. */
  columns: readonly string[] | null;
  view: BrowseView;
  /** Id of the other file, and the score. */
  other: string | null;
  by: Criterion;
}

/** Most characters of a filter, because addresses are untrusted. */
const LONGEST = 4000;
/** Most characters of a search text, which occurs three times in its filter. */
const LONGEST_SEARCH = 600;
const MOST_COLUMNS = 60;

/** `-reward`: descending, `reward`: ascending; null: file order. */
const sortOf = (raw: string | null): BrowseQuery['sort'] => {
  if (raw === null || raw === '' || raw === '-') return null;
  const descending = raw.startsWith('-');
  return { column: descending ? raw.slice(1) : raw, descending };
};

const groupOf = (raw: string | null): GroupField[] =>
  [...new Set((raw ?? '').split(','))].flatMap((part) => pickOf(GROUP_FIELDS, part) ?? []);

/** Parses a query string; invalid fields keep their default. */
export const parseBrowseAddress = (search: string): BrowseAddress => {
  const query = new URLSearchParams(search);
  const columns = query.get('cols')?.split(',').filter(Boolean).slice(0, MOST_COLUMNS) ?? [];
  return {
    filter: (query.get('filter') ?? '').slice(0, LONGEST),
    sort: sortOf(query.get('sort')),
    group: groupOf(query.get('group')),
    columns: columns.length > 0 ? [...new Set(columns)] : null,
    view: pickOf(VIEWS, query.get('view') ?? '') ?? 'table',
    other: query.get('with'),
    by: pickOf(CRITERIA, query.get('by') ?? '') ?? 'em',
  };
};

/** The query string (with `?`, or empty) for the same state. */
export const formatBrowseAddress = (address: BrowseAddress): string => {
  const { filter, sort, group, columns, view, other, by } = address;
  const query = new URLSearchParams();
  if (filter !== '') query.set('filter', filter);
  if (sort) query.set('sort', `${sort.descending ? '-' : ''}${sort.column}`);
  if (group.length > 0) query.set('group', group.join(','));
  if (columns) query.set('cols', columns.join(','));
  if (view !== 'table') query.set('view', view);
  if (other !== null) query.set('with', other);
  if (by !== 'em') query.set('by', by);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
};

/** Pages of imported rollouts. */
export const isRollouts = (path: string): boolean => /^\/rollouts(\/|$)/.test(path);

/** A search of all rollouts. Not `q`: on every page that is a question. */
export const searchPath = (text: string): string =>
  text === '' ? '/rollouts' : `/rollouts?${new URLSearchParams({ find: text }).toString()}`;

/** The search text of an address; empty if there is none. */
export const searchedFor = (search: string): string =>
  (new URLSearchParams(search).get('find') ?? '').slice(0, LONGEST_SEARCH).trim();

/**
 * Address of a file.
 * @param search as `formatBrowseAddress` gives it
 */
export const filePath = (fileId: string, search = ''): string =>
  `/rollouts/${encodeURIComponent(fileId)}${search}`;

/** Address of a rollout in the reader; `search` keeps the selection that it was opened from. */
export const readerPath = (fileId: string, rolloutId: string, search = ''): string => {
  const id = encodeURIComponent(rolloutId);
  // Servers treat a path with an extension as a file, which would be missing.
  const end = /\.[\w-]+$/.test(id) ? '/' : '';
  return `/rollouts/${encodeURIComponent(fileId)}/${id}${end}${search}`;
};

const quoted = (value: string): string =>
  `"${value.replaceAll('\\', String.raw`\\`).replaceAll('"', String.raw`\"`)}"`;

/** Words that need no quotes. */
const BARE = /^(?!(?:and|or|not)$)[\w-]+$/i;

/** A condition in filter syntax. */
export const condition = (field: string, operator: string, value: string | number): string =>
  `${field} ${operator} ${typeof value === 'number' || BARE.test(value) ? value : quoted(value)}`;

/** An `or` within quotes also matches: extra brackets do no harm. */
const isEither = (filter: string): boolean => /\bor\b/i.test(filter);

/** A filter with an additional condition. */
export const narrowed = (filter: string, more: string): string => {
  const old = filter.trim();
  if (old === '' || old === more) return more;
  // With "or" a condition may apply to one side only.
  if (!isEither(old) && old.split(' and ').includes(more)) return old;
  return `${isEither(old) ? `(${old})` : old} and ${isEither(more) ? `(${more})` : more}`;
};

/** The rollouts of a file that a search of all rollouts finds for this text. */
export const havingText = (words: string): string =>
  ['text', 'question', 'answer'].map((field) => condition(field, 'contains', words)).join(' or ');

/**
 * Session-storage key under which the table stores its order for the reader: JSON of the file's id and
 * the rollouts' ids.
 */
export const ORDER_KEY = 'forage-rollout-order';
