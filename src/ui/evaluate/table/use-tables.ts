import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../../../base/errors.ts';
import type { SystemsTable } from '../../../evaluate/systems/table/shape.ts';
import type { TableRequest } from '../../../lab/contract/evaluations.ts';
import { evaluationsApi } from '../store/evaluate-actions.ts';
import { runningEvaluation, useEvaluate } from '../store/evaluate-store.ts';
import { TableTurns } from './table-turns.ts';

/** Interval between refreshes of a growing table, ms; longer if tables take too much of the worker's time. */
const EVERY_MS = 2500;
/** Shared by the page: tables and families use the same rollouts. */
const turns = new TableTurns();

/** State of the requested tables. */
export interface Tables {
  /** Null while the first are computed, and on failure. */
  tables: readonly SystemsTable[] | null;
  /** The error; null if none. */
  problem: string | null;
}

/**
 * Tables of an evaluation, computed off the page. While rollouts arrive they are refreshed from time
 * to time, one at a time, and the old ones stay until then.
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
  // An answer that arrives later still belongs to this key.
  const latestKey = useRef<string | null>(key);
  const last = useRef({ key: '', version: -1, at: 0, busy: false });
  useEffect(() => {
    latestKey.current = key;
    return () => {
      latestKey.current = null;
    };
  }, [key]);
  useEffect(() => {
    const before = last.current;
    const same = before.key === key;
    if (same && (before.busy || before.version === version)) return undefined;
    const ask = async (): Promise<void> => {
      const own = { key, version, at: 0, busy: true };
      last.current = own;
      const show = (tables: Tables): void => {
        if (latestKey.current === key) setFound({ key, ...tables });
      };
      try {
        show({ tables: await evaluationsApi().table(id, request), problem: null });
      } catch (error) {
        show({ tables: null, problem: messageOf(error) });
      }
      Object.assign(own, { at: Date.now(), busy: false });
      // Checks whether rollouts arrived meanwhile.
      setAnswers((count) => count + 1);
    };
    return turns.add(ask, same && live ? before.at + EVERY_MS : null);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the key says what is asked
  }, [key, version, live, answers]);
  return found.key === key ? found : { tables: null, problem: null };
};
