import { messageOf } from '../../base/errors.ts';
import { heldRuns, whenRunFree } from './locks.ts';

/**
 * A run trains in one tab and is shown in all. What is asked for in another tab is passed on to the one
 * that trains; when that one dies, however it dies, the browser frees the run's lock and the others
 * learn of it.
 */

export type Order =
  | { do: 'pause' }
  | { do: 'stop'; keep: boolean }
  | { do: 'rate'; learningRate: number };

type Message =
  | { type: 'order'; id: string; runId: string; order: Order }
  /** The tab that trains has it; what was asked for may take as long as an update. */
  | { type: 'taken'; id: string }
  | { type: 'done'; id: string; error: string | null };

export interface OtherTabsParts {
  channel: BroadcastChannel;
  locks: LockManager;
  /** Does what another tab asks for; null where this tab does not train the run. */
  obey: (runId: string, order: Order) => Promise<void> | null;
  /** No tab trains the run any more; it has not begun again before this resolves. */
  freed: (runId: string) => Promise<void>;
  /** Longest wait for `taken`: a tab that trains answers between two batches of tokens. */
  answerMs?: number;
}

interface Pending {
  runId: string;
  taken(): void;
  done(error: string | null): void;
  gone(): void;
}

const ANSWER_MS = 8000;

export class OtherTabs {
  readonly #parts: OtherTabsParts;
  readonly #pending = new Map<string, Pending>();
  readonly #watched = new Set<string>();

  constructor(parts: OtherTabsParts) {
    this.#parts = parts;
    parts.channel.addEventListener('message', ({ data }: MessageEvent<Message>) =>
      this.#receive(data),
    );
  }

  /** Waits until no tab holds the run, once; see `freed`. */
  watch(runId: string): void {
    if (this.#watched.has(runId)) return;
    this.#watched.add(runId);
    const { locks, freed } = this.#parts;
    const act = async (): Promise<void> => {
      this.#watched.delete(runId);
      await freed(runId);
      for (const order of this.#pending.values()) if (order.runId === runId) order.gone();
    };
    whenRunFree(runId, locks, act).catch(() => this.#watched.delete(runId));
  }

  /**
   * Asks the tab that trains the run.
   * @returns whether it was done; false where no tab trains the run (any more)
   * @throws Error with what that tab said, or that it does not answer
   */
  async order(runId: string, order: Order): Promise<boolean> {
    const { channel, locks, answerMs = ANSWER_MS } = this.#parts;
    if (!(await heldRuns(locks)).has(runId)) return false;
    const id = crypto.randomUUID();
    try {
      return await new Promise<boolean>((resolve, reject) => {
        const silent = setTimeout(() => reject(new Error(SILENT)), answerMs);
        const end = (act: () => void) => () => {
          clearTimeout(silent);
          act();
        };
        this.#pending.set(id, {
          runId,
          taken: () => clearTimeout(silent),
          done: (error) => end(() => (error === null ? resolve(true) : reject(new Error(error))))(),
          gone: end(() => resolve(false)),
        });
        this.watch(runId);
        channel.postMessage({ type: 'order', id, runId, order } satisfies Message);
      });
    } finally {
      this.#pending.delete(id);
    }
  }

  #receive(message: Message): void {
    if (message.type === 'order') void this.#obey(message);
    else if (message.type === 'taken') this.#pending.get(message.id)?.taken();
    else this.#pending.get(message.id)?.done(message.error);
  }

  async #obey({ id, runId, order }: Extract<Message, { type: 'order' }>): Promise<void> {
    const { channel, obey } = this.#parts;
    const answer = (message: Message): void => channel.postMessage(message);
    try {
      const obeyed = obey(runId, order);
      if (!obeyed) return;
      answer({ type: 'taken', id });
      await obeyed;
      answer({ type: 'done', id, error: null });
    } catch (error) {
      answer({ type: 'done', id, error: messageOf(error) });
    }
  }
}

const SILENT =
  'the tab that trains does not answer; the browser may have frozen it. Bring it to the front and ask again, or close it: the run then resumes from its last snapshot.';
