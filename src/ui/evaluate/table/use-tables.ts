import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../../../base/errors.ts';
import type { SystemsTable } from '../../../evaluate/systems/table/shape.ts';
import type { TableRequest } from '../../../lab/contract/evaluations.ts';
import { evaluationsApi } from '../store/evaluate-actions.ts';
import { runningEvaluation, useEvaluate } from '../store/evaluate-store.ts';

/** Between two looks at a table that fills, ms. */
const EVERY_MS = 2500;
/**
 * Of the worker's time at most one part in so many goes to tables while rollouts are made: it is the worker that
 * asks for them, and the intervals and tests of sixty systems take it many seconds.
 */
const SHARE = 10;

/**
 * Milliseconds until a table that fills is asked for again.
 * @param since ms since the last answer
 * @param took ms that it took
 * @param live whether more rollouts are on their way; the last table of all is asked for at once
 */
export const nextAskMs = (since: number, took: number, live: boolean): number =>
  live ? Math.max(0, Math.max(EVERY_MS, (SHARE - 1) * took) - since) : 0;

export interface Tables {
  tables: readonly SystemsTable[] | null;
  problem: string | null;
}

/**
 * Tables of an evaluation, computed off the page. While rollouts arrive they are asked for again by and by, one at a
 * time, the last ones staying until then.
 * @param version changes with every rollout
 */
export const useTables = (id: string, request: TableRequest, version: number): Tables => {
  const live = useEvaluate((state) => runningEvaluation(state)?.id === id);
  const key = `${id} ${request.reference ?? ''} ${request.by ?? ''}`;
  const [found, setFound] = useState<Tables & { key: string }>({
    key,
    tables: null,
    problem: null,
  });
  const [answers, setAnswers] = useState(0);
  // An answer that comes while more rollouts arrive is still one to this key.
  const wanted = useRef<string | null>(key);
  const last = useRef({ key: '', version: -1, at: 0, took: 0, busy: false });
  useEffect(() => {
    wanted.current = key;
    return () => {
      wanted.current = null;
    };
  }, [key]);
  useEffect(() => {
    const before = last.current;
    const same = before.key === key;
    if (same && (before.busy || before.version === version)) return undefined;
    const ask = async (): Promise<void> => {
      const began = Date.now();
      const own = { key, version, at: began, took: 0, busy: true };
      last.current = own;
      const show = (tables: Tables): void => {
        if (wanted.current === key) setFound({ key, ...tables });
      };
      try {
        show({ tables: await evaluationsApi().table(id, request), problem: null });
      } catch (error) {
        show({ tables: null, problem: messageOf(error) });
      }
      const now = Date.now();
      Object.assign(own, { at: now, took: now - began, busy: false });
      // Looks whether rollouts came meanwhile.
      setAnswers((count) => count + 1);
    };
    const wait = same ? nextAskMs(Date.now() - before.at, before.took, live) : 0;
    const timer = setTimeout(() => void ask(), wait);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the key says what is asked
  }, [key, version, live, answers]);
  return found.key === key ? found : { tables: null, problem: null };
};
