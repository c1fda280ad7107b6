import { parseCustomSystem, type CustomSystem } from '../../evaluate/systems/custom.ts';
import type { Measured } from '../../evaluate/systems/plan/estimate.ts';
import { resultOf, type PlannedCell } from '../../evaluate/systems/plan/execute.ts';
import type { EvaluationPlan } from '../../evaluate/systems/plan/plan.ts';
import { keyOfRollout, readAs, rolloutIdOf } from '../../evaluate/systems/plan/rollout-id.ts';
import type { RolloutFacts } from '../../evaluate/systems/plan/row.ts';
import type { EvaluationResult } from '../../evaluate/systems/result.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { EvaluationRecord } from '../contract/records/evaluations.ts';
import type { StoredLine } from '../rollouts/own-runs.ts';
import { gunzip, gzip } from '../storage/blobs.ts';
import type { EvaluationDatabase, FactsRow } from './database.ts';

/** Rollouts that an estimate looks at. */
const MEASURED = 2000;

/** Rollouts that are read from storage at a time. */
const AT_ONCE = 50;

export interface StoredRollout extends FactsRow {
  rollout: Rollout;
}

const ofEvaluation = (id: string): [[string, string], [string, string]] => [
  [id, ''],
  [id, '\uffff'],
];

/** Evaluations and their rollouts as this browser keeps them. */
export class EvaluationStore {
  readonly #db: EvaluationDatabase;

  constructor(db: EvaluationDatabase) {
    this.#db = db;
  }

  list(): Promise<EvaluationRecord[]> {
    return this.#db.evaluations.orderBy('createdAt').reverse().toArray();
  }

  /** @throws Error where there is none */
  async get(id: string): Promise<EvaluationRecord> {
    const found = await this.#db.evaluations.get(id);
    if (!found) throw new Error('There is no such evaluation in this browser.');
    return found;
  }

  async put(evaluation: EvaluationRecord): Promise<void> {
    await this.#db.evaluations.put(evaluation);
  }

  async change(id: string, change: Partial<EvaluationRecord>): Promise<EvaluationRecord> {
    await this.#db.evaluations.update(id, { ...change, updatedAt: new Date().toISOString() });
    return this.get(id);
  }

  /** Keeps what tables need of a plan; failures of an earlier attempt are forgotten. */
  async plan(
    id: string,
    { hash, systems, skipped, questions, rollouts }: EvaluationPlan,
  ): Promise<void> {
    const cells = rollouts.map(({ key, system, question, seed, recipe }): PlannedCell => ({
      key,
      system,
      question,
      seed,
      recipe: { id: recipe.id },
    }));
    const { plans, failures } = this.#db;
    await this.#db.transaction('rw', plans, failures, async () => {
      await plans.put({ id, hash, systems, skipped, questions, cells });
      await failures
        .where('[id+key]')
        .between(...ofEvaluation(id))
        .delete();
    });
  }

  /** What is kept of these rollouts. */
  async facts(keys: readonly string[]): Promise<Map<string, RolloutFacts>> {
    const rows = await this.#db.facts.bulkGet([...new Set(keys)]);
    return new Map(rows.flatMap((row) => (row ? [[row.key, row.facts] as const] : [])));
  }

  /**
   * Keeps rollouts, all or none of them.
   * @throws the fault of the storage, as where it is full; what was kept before is untouched
   */
  async keep(made: readonly StoredRollout[]): Promise<void> {
    const encoder = new TextEncoder();
    const rows = await Promise.all(
      made.map(async ({ rollout, ...facts }) => ({
        facts,
        body: { key: facts.key, body: await gzip(encoder.encode(JSON.stringify(rollout))) },
      })),
    );
    const { facts, bodies } = this.#db;
    await this.#db.transaction('rw', facts, bodies, async () => {
      await bodies.bulkPut(rows.map(({ body }) => body));
      await facts.bulkPut(rows.map((row) => row.facts));
    });
  }

  async fail(id: string, key: string, message: string): Promise<void> {
    await this.#db.failures.put({ id, key, message });
  }

  async judge(id: string, key: string, right: boolean): Promise<void> {
    await this.#db.verdicts.put({ id, key, right });
  }

  /** Keys that a judge has judged in an evaluation. */
  async verdicts(id: string): Promise<Map<string, boolean>> {
    const rows = await this.#db.verdicts
      .where('[id+key]')
      .between(...ofEvaluation(id))
      .toArray();
    return new Map(rows.map(({ key, right }) => [key, right]));
  }

  /** What an evaluation found so far; without a row where it was not planned yet. */
  async result(id: string): Promise<EvaluationResult> {
    const { name, spec } = await this.get(id);
    const plan = await this.#db.plans.get(id);
    if (!plan)
      return {
        name,
        hash: '',
        systems: [],
        questions: [],
        seeds: spec.seeds,
        rollouts: [],
        planned: 0,
        failed: [],
      };
    const { cells, ...rest } = plan;
    const [facts, verdicts, failures] = await Promise.all([
      this.facts(cells.map(({ key }) => key)),
      this.verdicts(id),
      this.#db.failures
        .where('[id+key]')
        .between(...ofEvaluation(id))
        .toArray(),
    ]);
    const known = (key: string): RolloutFacts | null => {
      const found = facts.get(key);
      const right = verdicts.get(key);
      return found ? { ...found, judge: right === undefined ? null : Number(right) } : null;
    };
    const messages = new Map(failures.map(({ key, message }) => [key, message]));
    return resultOf({ ...rest, rollouts: cells }, name, known, messages);
  }

  /** A rollout by its id; null where it is not stored. */
  async rollout(id: string): Promise<Rollout | null> {
    const row = await this.#db.bodies.get(keyOfRollout(id));
    if (!row) return null;
    const text = new TextDecoder().decode(await gunzip(row.body));
    return readAs(JSON.parse(text) as Rollout, id);
  }

  /** The rollouts of an evaluation that are there, some at a time, in the order of its plan: each as it is stored. */
  async *parts(id: string, signal: AbortSignal): AsyncGenerator<StoredLine[], void, void> {
    const plan = await this.#db.plans.get(id);
    const ids = [...new Set((plan?.cells ?? []).map(rolloutIdOf))];
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      signal.throwIfAborted();
      const part = ids.slice(at, at + AT_ONCE);
      const rows = await this.#db.bodies.bulkGet(part.map(keyOfRollout));
      const lines = await Promise.all(
        rows.map(async (row) => row && new TextDecoder().decode(await gunzip(row.body))),
      );
      yield part.flatMap((one, i) => {
        const line = lines[i];
        return line === undefined ? [] : [{ id: one, line }];
      });
    }
  }

  /** The rollouts of an evaluation as lines of `forage.rollout/1`, in the order of its plan. */
  async lines(id: string, signal: AbortSignal): Promise<Blob> {
    const parts: string[] = [];
    for await (const part of this.parts(id, signal))
      for (const one of part)
        parts.push(`${JSON.stringify(readAs(JSON.parse(one.line) as Rollout, one.id))}\n`);
    return new Blob(parts, { type: 'application/x-ndjson' });
  }

  /** Rollouts of a policy that this device made. */
  async #measured(policy: string): Promise<Measured[]> {
    const rows = await this.#db.facts.where('policy').equals(policy).limit(MEASURED).toArray();
    return rows.map(({ recipe, facts }) => ({ recipe, policy, seconds: facts.seconds }));
  }

  /** Those of several. */
  async measuredOf(policies: readonly string[]): Promise<Measured[]> {
    const each = [...new Set(policies)].map((policy) => this.#measured(policy));
    return (await Promise.all(each)).flat();
  }

  /** Removes an evaluation; its rollouts stay for others. */
  async purge(id: string): Promise<void> {
    const { evaluations, plans, failures, verdicts } = this.#db;
    await this.#db.transaction('rw', evaluations, plans, failures, verdicts, async () => {
      await evaluations.delete(id);
      await plans.delete(id);
      for (const table of [failures, verdicts])
        await table
          .where('[id+key]')
          .between(...ofEvaluation(id))
          .delete();
    });
  }

  /** The user's own systems by title; those that this version cannot run are left out. */
  async customs(): Promise<CustomSystem[]> {
    const rows: unknown[] = await this.#db.customs.toArray();
    const known = rows.flatMap((row) => {
      try {
        return [parseCustomSystem(row)];
      } catch {
        return [];
      }
    });
    return known.toSorted((a, b) => a.title.localeCompare(b.title));
  }

  /** @throws CustomSystemError */
  async saveCustom(system: CustomSystem): Promise<void> {
    await this.#db.customs.put(parseCustomSystem(system));
  }

  async removeCustom(id: string): Promise<void> {
    await this.#db.customs.delete(id);
  }
}
