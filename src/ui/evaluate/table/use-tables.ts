import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../../../base/errors.ts';
import type { SystemsTable } from '../../../evaluate/systems/table/shape.ts';
import type { TableRequest } from '../../../lab/contract/evaluations.ts';
import { evaluationsApi } from '../store/evaluate-actions.ts';
import { runningEvaluation, useEvaluate } from '../store/evaluate-store.ts';

/** Interval between refreshes of a growing table, ms; longer if tables take too much of the worker's time. */
const EVERY_MS = 2500;

/**
 * Tables of running evaluations get at most this share of the worker's time: it also requests their
 * rollouts, and intervals and tests of sixty systems take it many seconds.
 */
const SHARE = 10;

interface Waiting {
  ask: () => Promise<void>;
  /** Earliest time, ms since 1970; null: as soon as the current request is answered. */
  at: number | null;
}

/** Sends table requests to the worker one at a time. */
export class TableTurns {
  #waiting: Waiting[] = [];
  #busy = false;
  /** Earliest time for deferrable requests, ms since 1970. */
  #free = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param ask never rejects
   * @param at for deferrable requests: not before this time, ms since 1970, and not before the share
   * allows it; null: the user is waiting
   * @returns cancels it if it has not started
   */
  add(ask: () => Promise<void>, at: number | null): () => void {
    const one = { ask, at };
    this.#waiting.push(one);
    this.#next();
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== one);
      this.#next();
    };
  }

  #next(): void {
    clearTimeout(this.#timer);
    const due = ({ at }: Waiting): number => at ?? -1;
    const [first] = this.#waiting.toSorted((a, b) => due(a) - due(b));
    if (this.#busy || !first) return;
    const from = first.at === null ? 0 : Math.max(first.at, this.#free);
    this.#timer = setTimeout(() => void this.#take(first), Math.max(0, from - Date.now()));
  }

  async #take(one: Waiting): Promise<void> {
    this.#waiting = this.#waiting.filter((other) => other !== one);
    this.#busy = true;
    const began = Date.now();
    await one.ask();
    const now = Date.now();
    this.#busy = false;
    // A slow table is followed by a longer pause, so that the share holds.
    this.#free = Math.max(this.#free, now) + (SHARE - 1) * (now - began);
    this.#next();
  }
}

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
