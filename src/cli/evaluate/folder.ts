import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measured } from '../../evaluate/systems/plan/estimate.ts';
import type { RolloutFacts } from '../../evaluate/systems/plan/row.ts';
import type { Rollout } from '../../records/rollout.ts';
import { UsageError } from '../shared/options.ts';
import { groupBy } from '../../base/items.ts';
import { appendLines } from '../shared/append.ts';
import { makeFolders } from '../shared/path-fault.ts';
import { writeSafely } from '../shared/write-safely.ts';

/**
 * A folder of an evaluation:
 *
 * - `kept.jsonl`: what tables need of each rollout, a line each, by the hash of its inputs;
 * - `rollouts/XX.jsonl`: the rollouts themselves, `forage.rollout/1`, by the first two digits of the hash;
 * - `worlds/`: generated worlds; `judgements.jsonl`: verdicts of a judge;
 * - the tables.
 *
 * A rollout counts once its line in `kept.jsonl` is whole, which is written after the rollout itself.
 * A line that a killed process left unfinished is dropped, and its rollout run again.
 */

interface StoredResult {
  key: string;
  recipe: string;
  /** The policy that made it; absent in older files. */
  policy?: string;
  facts: RolloutFacts;
}

const KEPT = 'kept.jsonl';
const OWN = new Set([KEPT, 'rollouts', 'worlds', 'judgements.jsonl', 'evaluation.json']);

function readResults(path: string): Map<string, StoredResult> {
  const kept = new Map<string, StoredResult>();
  if (!existsSync(path)) return kept;
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    try {
      const one = JSON.parse(line) as StoredResult;
      kept.set(one.key, one);
    } catch {
      // An unfinished line, or the empty one at the end.
    }
  }
  return kept;
}

export class EvaluationFolder {
  readonly path: string | null;
  readonly #results: Map<string, StoredResult>;
  #waiting: { kept: StoredResult; rollout: Rollout }[] = [];
  readonly #every: number;

  /**
   * @param path null: nothing is kept beyond this process
   * @param every rollouts that are written together
   * @throws UsageError where the folder holds something else
   */
  constructor(path: string | null, every = 16) {
    this.path = path;
    this.#every = every;
    if (path !== null && existsSync(path)) {
      const names = readdirSync(path);
      if (names.length > 0 && !names.some((name) => OWN.has(name)))
        throw new UsageError(
          `${path} holds other files and no evaluation; name an empty or a new folder.`,
        );
    }
    this.#results = path === null ? new Map() : readResults(join(path, KEPT));
  }

  /** Makes the folder; until then a new one is only planned. */
  begin(): void {
    if (this.path !== null) makeFolders(join(this.path, 'rollouts'));
  }

  known = (key: string): RolloutFacts | null => this.#results.get(key)?.facts ?? null;

  all(): StoredResult[] {
    return [...this.#results.values()];
  }

  /** How long its rollouts took. */
  measured(): Measured[] {
    return this.all().flatMap(({ recipe, policy, facts: { seconds } }) =>
      policy === undefined ? [] : [{ recipe, policy, seconds }],
    );
  }

  /** @param policy key by which estimates distinguish policies */
  keep(key: string, rollout: Rollout, facts: RolloutFacts, policy?: string): void {
    const kept = {
      key,
      recipe: rollout.recipe.id,
      policy,
      facts,
    };
    this.#results.set(key, kept);
    this.#waiting.push({ kept, rollout });
    if (this.#waiting.length >= this.#every) this.flush();
  }

  /** Writes the waiting results. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (this.path === null || waiting.length === 0) return;
    const shards = groupBy(waiting, ({ kept }) => kept.key.slice(0, 2));
    for (const [shard, some] of shards)
      appendLines(
        join(this.path, 'rollouts', `${shard}.jsonl`),
        some.map(({ rollout }) => JSON.stringify(rollout)),
      );
    appendLines(
      join(this.path, KEPT),
      waiting.map(({ kept }) => JSON.stringify(kept)),
    );
  }

  write(name: string, text: string): void {
    if (this.path !== null) writeSafely(join(this.path, name), text);
  }
}
