import { idOf } from '../../kit/pick-of.ts';

/** What the addresses of the training and runs pages restore. */

export interface TrainAddress {
  /** The run on the screen; null: the form of a new one. */
  run: string | null;
  /** The step that is selected, from 1. */
  step: number | null;
  /** A held-out question at two scores, before | after; absent where nothing was chosen. */
  beside?: BesideAddress;
}

/** Steps are those of scores; 0: before the first step. */
export interface BesideAddress {
  /** Id of the held-out question; null: the first that changed. */
  question: string | null;
  from: number;
  /** Null: the newest. */
  to: number | null;
}

/** More lines than this cannot be distinguished. */
export const MOST_COMPARED = 8;

const stepOf = (raw: string | null): number | null => {
  const value = Number(raw);
  return raw !== null && Number.isSafeInteger(value) && value >= 1 ? value : null;
};

/** The step of a score, which may be 0. */
const scoreOf = (raw: string | null): number | null =>
  raw !== null && /^\d{1,9}$/.test(raw) ? Number(raw) : null;

/** In the place of a step, so that an address goes along with a run that trains. */
const NEWEST = 'newest';

const besideOf = (query: URLSearchParams): BesideAddress | null => {
  const [question, from] = [query.get('question'), scoreOf(query.get('from'))];
  const to = query.get('to');
  if (from === null || (to !== NEWEST && scoreOf(to) === null)) return null;
  return { question: idOf(question), from, to: scoreOf(to) };
};

/** What a query string cannot mean is left out; without a run it has no step either. */
export const parseTrainAddress = (search: string): TrainAddress => {
  const query = new URLSearchParams(search);
  const run = idOf(query.get('run'));
  if (run === null) return { run, step: null };
  const beside = besideOf(query);
  return { run, step: stepOf(query.get('step')), ...(beside && { beside }) };
};

/** The form of a new run, also while one trains. */
export const NEW_RUN = '/train?new=1';

/** The path of a run, or of the form of a new one. */
export const formatTrainAddress = ({ run, step, beside }: TrainAddress): string => {
  if (run === null) return NEW_RUN;
  const query = new URLSearchParams({ run });
  if (step !== null) query.set('step', String(step));
  if (beside) {
    if (beside.question !== null) query.set('question', beside.question);
    query.set('from', String(beside.from));
    query.set('to', beside.to === null ? NEWEST : String(beside.to));
  }
  return `/train?${query.toString()}`;
};

/** The sweep on the screen; null: none. */
export const parseSweepAddress = (search: string): string | null =>
  idOf(new URLSearchParams(search).get('sweep'));

/** The address of a sweep’s page. */
export const formatSweepAddress = (sweepId: string): string =>
  `/train?${new URLSearchParams({ sweep: sweepId }).toString()}`;

/** Ids of the runs to compare, each once, at most `MOST_COMPARED`. */
export const parseCompared = (search: string): string[] => {
  const raw = new URLSearchParams(search).get('compare') ?? '';
  const ids = raw.split(',').flatMap((part) => idOf(part.trim()) ?? []);
  return [...new Set(ids)].slice(0, MOST_COMPARED);
};

/** The page of runs with these compared, in the order of their letters. */
export const formatCompared = (ids: readonly string[]): string => {
  if (ids.length === 0) return '/runs';
  return `/runs?compare=${ids.map((id) => encodeURIComponent(id)).join(',')}`;
};
