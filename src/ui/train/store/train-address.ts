/** What the addresses of the training and runs pages restore. */

export interface TrainAddress {
  /** The run on the screen; null: the form of a new one. */
  run: string | null;
  /** The step that is selected, from 1. */
  step: number | null;
}

const LONGEST_ID = 200;
/** More lines than this cannot be told apart. */
export const MOST_COMPARED = 8;

const idOf = (raw: string | null): string | null =>
  raw === null || raw === '' || raw.length > LONGEST_ID ? null : raw;

const stepOf = (raw: string | null): number | null => {
  const value = Number(raw);
  return raw !== null && Number.isSafeInteger(value) && value >= 1 ? value : null;
};

export const parseTrainAddress = (search: string): TrainAddress => {
  const query = new URLSearchParams(search);
  const run = idOf(query.get('run'));
  return { run, step: run === null ? null : stepOf(query.get('step')) };
};

export const formatTrainAddress = ({ run, step }: TrainAddress): string => {
  if (run === null) return '/train?new=1';
  const query = new URLSearchParams({ run });
  if (step !== null) query.set('step', String(step));
  return `/train?${query.toString()}`;
};

/** Ids of the runs to compare, each once, at most `MOST_COMPARED`. */
export const parseCompared = (search: string): string[] => {
  const raw = new URLSearchParams(search).get('compare') ?? '';
  const ids = raw.split(',').flatMap((part) => idOf(part.trim()) ?? []);
  return [...new Set(ids)].slice(0, MOST_COMPARED);
};

export const formatCompared = (ids: readonly string[]): string => {
  if (ids.length === 0) return '/runs';
  return `/runs?compare=${ids.map((id) => encodeURIComponent(id)).join(',')}`;
};
