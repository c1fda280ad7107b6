import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../../../base/errors.ts';
import type { SystemsTable } from '../../../evaluate/systems/table/shape.ts';
import type { TableRequest } from '../../../lab/contract/evaluations.ts';
import { evaluationsApi } from '../store/evaluate-actions.ts';

/** Between two looks at a table that fills, ms: the intervals of a large one take the worker a while. */
const EVERY_MS = 2500;

export interface Tables {
  tables: readonly SystemsTable[] | null;
  problem: string | null;
}

/**
 * Tables of an evaluation, computed off the page. While rollouts arrive they are asked for again by and by, the
 * last ones staying until then.
 * @param version changes with every rollout; a change only delays what was not asked yet, by `EVERY_MS` at most
 */
export const useTables = (id: string, request: TableRequest, version: number): Tables => {
  const key = `${id} ${request.reference ?? ''} ${request.by ?? ''}`;
  const [found, setFound] = useState<Tables & { key: string }>({
    key,
    tables: null,
    problem: null,
  });
  // An answer that comes while more rollouts arrive is still one to this key.
  const wanted = useRef<string | null>(key);
  const asked = useRef({ key: '', at: 0 });
  useEffect(() => {
    wanted.current = key;
    return () => {
      wanted.current = null;
    };
  }, [key]);
  useEffect(() => {
    const show = (tables: Tables): void => {
      if (wanted.current === key) setFound({ key, ...tables });
    };
    const ask = async (): Promise<void> => {
      asked.current = { key, at: Date.now() };
      try {
        show({ tables: await evaluationsApi().table(id, request), problem: null });
      } catch (error) {
        show({ tables: null, problem: messageOf(error) });
      }
    };
    const since = Date.now() - asked.current.at;
    const wait = asked.current.key === key ? Math.max(0, EVERY_MS - since) : 0;
    const timer = setTimeout(() => void ask(), wait);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the key says what is asked
  }, [key, version]);
  return found.key === key ? found : { tables: null, problem: null };
};
