import type { FailurePoint } from '../../../evaluate/systems/pictures.ts';
import { MEASURE_IDS, type MeasureId } from '../../../evaluate/systems/table/measures.ts';
import { TABLE_SPLITS, type TableSplit } from '../../../evaluate/systems/table/shape.ts';
import { pickOf, idOf } from '../../kit/pick-of.ts';

/** The state in the address of an evaluation: view, sorting, selection. */

/** In tab order. */
export const VIEWS = ['table', 'cost', 'questions', 'hops', 'systems', 'compare'] as const;

/** Which tab is open. */
export type EvaluateView = (typeof VIEWS)[number];

/** Tab names. */
export const VIEW_NAMES: Record<EvaluateView, string> = {
  table: 'Table',
  cost: 'Quality and cost',
  questions: 'Questions',
  hops: 'Hops',
  systems: 'Systems and parts',
  compare: 'Compare',
};

/** All query fields of an evaluation’s address. Unknown values read as the default. */
export interface EvaluateAddress {
  view: EvaluateView;
  /** Id of the reference row; null: the first. */
  reference: string | null;
  by: TableSplit;
  /** Sort column of the table; null: original order. */
  sort: { measure: MeasureId; descending: boolean } | null;
  /** Axes of the quality–cost plane. */
  quality: MeasureId;
  cost: MeasureId;
  /** Question shown side by side. */
  question: string | null;
  /** Systems shown for it; empty: those that disagree. */
  systems: readonly string[];
  /** Stage at which the first of these systems lost the listed rollouts; null: no list. */
  lost: FailurePoint | null;
  /** Evaluation to compare with. */
  other: string | null;
}

/** The list of evaluations. */
export const EVALUATE = '/evaluate';
/** The form of a new one. */
export const NEW_EVALUATION = '/evaluate?new=1';

/** Most systems side by side; an address with more is cut. */
export const MOST_SIDE_BY_SIDE = 6;

/** Defaults; `formatEvaluateAddress` writes only differences from them. */
export const DEFAULT_ADDRESS: EvaluateAddress = {
  view: 'table',
  reference: null,
  by: 'all',
  sort: null,
  quality: 'em',
  cost: 'searches',
  question: null,
  systems: [],
  lost: null,
  other: null,
};

/** `-f1`: F1 descending, `searches`: ascending; null for an unknown measure. */
const sortOf = (raw: string): EvaluateAddress['sort'] => {
  const descending = raw.startsWith('-');
  const measure = pickOf(MEASURE_IDS, descending ? raw.slice(1) : raw);
  return measure && { measure, descending };
};

/** `3`: the third hop; null for an unknown stage. */
const lostOf = (raw: string): FailurePoint | null =>
  /^[1-9]\d?$/.test(raw) ? Number(raw) : pickOf(['whole', 'broken'] as const, raw);

/** Invalid fields keep their default. */
export const parseEvaluateAddress = (search: string): EvaluateAddress => {
  const query = new URLSearchParams(search);
  const measure = (name: 'quality' | 'cost'): MeasureId =>
    pickOf(MEASURE_IDS, query.get(name) ?? '') ?? DEFAULT_ADDRESS[name];
  return {
    view: pickOf(VIEWS, query.get('view') ?? '') ?? DEFAULT_ADDRESS.view,
    reference: idOf(query.get('ref')),
    by: pickOf(TABLE_SPLITS, query.get('by') ?? '') ?? DEFAULT_ADDRESS.by,
    sort: sortOf(query.get('sort') ?? ''),
    quality: measure('quality'),
    cost: measure('cost'),
    question: idOf(query.get('q')),
    systems: query
      .getAll('s')
      .flatMap((raw) => idOf(raw) ?? [])
      .slice(0, MOST_SIDE_BY_SIDE),
    lost: lostOf(query.get('lost') ?? ''),
    other: idOf(query.get('with')),
  };
};

/** The path of an evaluation with its non-default fields. */
export const formatEvaluateAddress = (
  id: string,
  address: Partial<EvaluateAddress> = {},
): string => {
  const { view, reference, by, sort, quality, cost, question, systems, lost, other } = {
    ...DEFAULT_ADDRESS,
    ...address,
  };
  const query = new URLSearchParams();
  if (view !== DEFAULT_ADDRESS.view) query.set('view', view);
  if (reference !== null) query.set('ref', reference);
  if (by !== DEFAULT_ADDRESS.by) query.set('by', by);
  if (sort) query.set('sort', `${sort.descending ? '-' : ''}${sort.measure}`);
  if (quality !== DEFAULT_ADDRESS.quality) query.set('quality', quality);
  if (cost !== DEFAULT_ADDRESS.cost) query.set('cost', cost);
  if (question !== null) query.set('q', question);
  for (const system of systems) query.append('s', system);
  if (lost !== null) query.set('lost', String(lost));
  if (other !== null) query.set('with', other);
  const text = query.toString();
  return `${EVALUATE}/${encodeURIComponent(id)}${text === '' ? '' : `?${text}`}`;
};
