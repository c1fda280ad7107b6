/** What one rollout of a batch has searched. */
interface Row<T> {
  of: T;
  searches: number;
  over: boolean;
}

/** One rollout's part in the rounds. */
interface Member<T> {
  /** Waits until all that began before it have searched as often or ended. @returns whom its search is answered for */
  search(): Promise<T>;
  /** It has ended. */
  leave(): void;
}

/**
 * Searches of a batch in rounds, as ZeroSearch's released code answers them (Alibaba-NLP/ZeroSearch,
 * llm_agent/generation.py, `batch_search`): the queries of a round are those of the rollouts that search in it, but
 * question and answer are taken by place in the whole batch, so that the j-th of them is answered for the batch's j-th
 * rollout. A rollout's n-th search is of round n. One that begins when all others have ended begins the next batch.
 */
export class SearchRounds<T> {
  #rows: Row<T>[] = [];
  #waiting: (() => void)[] = [];

  /** The next rollout of the batch. @param of what its own searches are about */
  join(of: T): Member<T> {
    if (this.#rows.every(({ over }) => over)) this.#rows = [];
    const rows = this.#rows;
    const row: Row<T> = { of, searches: 0, over: false };
    const before = rows.slice();
    rows.push(row);
    return {
      search: async () => {
        const round = ++row.searches;
        this.#goOn();
        while (before.some(({ over, searches }) => !over && searches < round)) await this.#change();
        const place = before.filter(({ searches }) => searches >= round).length;
        return rows[place]?.of ?? of;
      },
      leave: () => {
        row.over = true;
        this.#goOn();
      },
    };
  }

  /** Until some rollout has searched or ended. */
  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #goOn(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
