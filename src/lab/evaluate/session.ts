import { messageOf } from '../../base/errors.ts';
import { groupBy, itemAt } from '../../base/items.ts';
import { createJudge } from '../../evaluate/judge/judge.ts';
import { judgeAnswers } from '../../evaluate/judge/run.ts';
import { toBeTimed, type Measured } from '../../evaluate/systems/plan/estimate.ts';
import {
  executeEvaluation,
  missing,
  resultOf,
  rowOf,
} from '../../evaluate/systems/plan/execute.ts';
import {
  planEvaluation,
  type EvaluationPlan,
  type PlannedRollout,
} from '../../evaluate/systems/plan/plan.ts';
import type { RolloutFacts } from '../../evaluate/systems/plan/row.ts';
import type { EvaluatedRollout, EvaluationResult } from '../../evaluate/systems/result.ts';
import type { EvaluationSpec } from '../../evaluate/systems/spec.ts';
import { countText } from '../../evaluate/verdict.ts';
import type { TextModel } from '../../policy/text-model.ts';
import type { PolicyRef } from '../../records/setup.ts';
import { openSummarizer } from '../../retrieval/summarize/index.ts';
import type { EvaluationPhase, EvaluationProgress } from '../contract/evaluations.ts';
import type { EvaluationRecord } from '../contract/records/evaluations.ts';
import type { DeviceChoice } from '../contract/settings.ts';
import {
  findPolicy,
  OpenPolicy,
  type LocalPolicy,
  type PolicyParts,
} from '../models/serving/find-policy.ts';
import { OpenSets, type SetParts } from './sets.ts';
import type { EvaluationStore, StoredRollout } from './store.ts';

export interface SessionParts extends PolicyParts, SetParts {
  store: EvaluationStore;
  /** A model that judges or summarizes. @throws Error */
  helper(ref: PolicyRef): Promise<TextModel>;
  /** Of what runs. */
  version: string;
}

export interface SessionListener {
  progress(progress: EvaluationProgress, now: boolean): void;
  rollouts(rollouts: EvaluatedRollout[]): void;
  planned(plan: EvaluationPlan, known: number): Promise<void>;
}

/** Rollouts that are stored together, and how long the first of them waits, ms. */
const BATCH = 16;
const WAIT_MS = 1000;
/** Losses of a worker after which the evaluation stops by itself. */
const MOST_LOSSES = 3;
const JUDGE = { concurrency: 4, timeoutMs: 120_000 };
/** Rollouts before which nothing is said of the time that is left. */
const FEW = 4;

/** What a spec comes to on this device: policies, questions and the plan; worlds are open. */
export async function openPlan(
  spec: EvaluationSpec,
  device: DeviceChoice,
  parts: SessionParts,
  note: (text: string) => void,
): Promise<{ plan: EvaluationPlan; policies: LocalPolicy[]; sets: OpenSets }> {
  const sets = new OpenSets(parts);
  try {
    note('looking for policies');
    const policies: LocalPolicy[] = [];
    for (const policy of spec.policies) policies.push(await findPolicy(policy, device, parts));
    for (const source of spec.questions) await sets.find(source, note);
    const plan = await planEvaluation(spec, {
      policies,
      sets: sets.sets,
      sources: (set, retrieval) => sets.identity(set, retrieval),
      version: parts.version,
    });
    return { plan, policies, sets };
  } catch (error) {
    sets.end();
    throw error;
  }
}

/** One evaluation while it runs in this tab. */
export class EvaluationSession {
  readonly id: string;
  readonly abort = new AbortController();
  /** Resolves when it has ended, however it ended. */
  ended: Promise<void> = Promise.resolve();
  notice: string | null = null;
  readonly #record: EvaluationRecord;
  readonly #device: DeviceChoice;
  readonly #parts: SessionParts;
  readonly #report: SessionListener;
  #plan: EvaluationPlan | null = null;
  #known = new Map<string, RolloutFacts>();
  readonly #verdicts = new Map<string, boolean>();
  readonly #failures = new Map<string, string>();
  #phase: EvaluationPhase = 'planning';
  #note = '';
  #reused = 0;
  #done = 0;
  #made = 0;
  #startedAt = 0;
  /** Of the time since, what went into opening policies and sources, ms: no rollout was made in it. */
  #openedMs = 0;
  #judged = { done: 0, total: 0 };
  #waiting: StoredRollout[] = [];
  #waitingSince = 0;
  /** Planned rollouts by the key that they share. */
  #byKey = new Map<string, PlannedRollout[]>();

  constructor(
    record: EvaluationRecord,
    device: DeviceChoice,
    parts: SessionParts,
    tell: SessionListener,
  ) {
    this.id = record.id;
    this.#record = record;
    this.#device = device;
    this.#parts = parts;
    this.#report = tell;
  }

  /** Counts for the record. */
  get counts(): Pick<EvaluationRecord, 'planned' | 'done' | 'failed'> {
    return {
      planned: this.#plan?.rollouts.length ?? this.#record.planned,
      done: this.#plan ? this.#done : this.#record.done,
      failed: this.#plan ? this.#failedCells() : this.#record.failed,
    };
  }

  /** What is there so far; null before it is planned. */
  get result(): EvaluationResult | null {
    const known = (key: string): RolloutFacts | null => {
      const facts = this.#known.get(key);
      const right = this.#verdicts.get(key);
      return facts ? { ...facts, judge: right === undefined ? null : Number(right) } : null;
    };
    return this.#plan && resultOf(this.#plan, this.#record.name, known, this.#failures);
  }

  /** Runs to its end. @throws Error; the reason of `abort` */
  async run(): Promise<void> {
    const { spec } = this.#record;
    const { plan, policies, sets } = await openPlan(spec, this.#device, this.#parts, (note) =>
      this.#move('planning', note),
    );
    const policy = new OpenPolicy(this.#parts.openApart);
    try {
      await this.#take(plan);
      await this.#attempts(plan, policies, sets, policy);
      await this.#judge();
    } finally {
      policy.end();
      sets.end();
      await this.#flush();
    }
  }

  /**
   * Makes those rollouts that tell how long the others take, and nothing else of the evaluation.
   * @param known what else this device measured of policies
   */
  async measure(known: (policies: readonly string[]) => Promise<Measured[]>): Promise<void> {
    const { store } = this.#parts;
    const { plan, policies, sets } = await openPlan(
      this.#record.spec,
      this.#device,
      this.#parts,
      (note) => this.#move('planning', note),
    );
    const policy = new OpenPolicy(this.#parts.openApart);
    try {
      this.#known = await store.facts(plan.rollouts.map(({ key }) => key));
      const paces = policies.map(({ pace }) => pace);
      const measured = [...(await store.measuredOf(paces)), ...(await known(paces))];
      const todo = missing(plan, (key) => this.#known.get(key) ?? null).flat();
      const timed = { ...plan, rollouts: toBeTimed(todo, paces, measured) };
      this.#byKey = groupBy(timed.rollouts, ({ key }) => key);
      this.#plan = timed;
      await this.#execute(timed, policies, sets, policy, () => undefined);
    } finally {
      policy.end();
      sets.end();
      await this.#flush();
    }
  }

  async #take(plan: EvaluationPlan): Promise<void> {
    this.abort.signal.throwIfAborted();
    const { store } = this.#parts;
    await store.plan(this.id, plan);
    this.#known = await store.facts(plan.rollouts.map(({ key }) => key));
    for (const [key, right] of await store.verdicts(this.id)) this.#verdicts.set(key, right);
    this.#byKey = groupBy(plan.rollouts, ({ key }) => key);
    this.#plan = plan;
    this.#done = plan.rollouts.filter(({ key }) => this.#known.has(key)).length;
    this.#reused = this.#done;
    if (plan.leftOut > 0)
      this.notice = `Left out, without a gold answer: ${countText(plan.leftOut, 'question')}.`;
    await this.#report.planned(plan, this.#done);
  }

  /** Opens again what was lost. */
  async #attempts(
    plan: EvaluationPlan,
    policies: readonly LocalPolicy[],
    sets: OpenSets,
    policy: OpenPolicy,
  ): Promise<void> {
    this.#startedAt = performance.now();
    for (let losses = 0; ;) {
      let lost: AbortSignal | undefined;
      try {
        await this.#execute(plan, policies, sets, policy, (signal) => (lost = signal));
        return;
      } catch (error) {
        if (this.abort.signal.aborted || lost?.aborted !== true) throw error;
        losses++;
        if (losses >= MOST_LOSSES) throw error;
        this.notice = `${messageOf(error)}; it was started again.`;
        policy.end();
      }
    }
  }

  async #execute(
    plan: EvaluationPlan,
    policies: readonly LocalPolicy[],
    sets: OpenSets,
    policy: OpenPolicy,
    onOpen: (lost: AbortSignal) => void,
  ): Promise<void> {
    const { spec } = this.#record;
    const summarizer =
      spec.summarizer.kind === 'model'
        ? openSummarizer(spec.summarizer, {
            model: await this.#parts.helper(spec.summarizer.policy),
          })
        : openSummarizer(spec.summarizer);
    await executeEvaluation(plan, {
      known: (key) => this.#known.get(key) ?? null,
      signal: this.abort.signal,
      open: async (place) => {
        const begun = performance.now();
        const found = itemAt(policies, place.policy, 'policies');
        this.#move('opening', `opening ${found.name}`);
        const retrieval = itemAt(spec.retrieval, place.retrieval);
        const sources = await sets.open(place.set, retrieval, found.router);
        const opened = await policy.get(found, this.#device);
        const lost = sources.lost ? AbortSignal.any([opened.lost, sources.lost]) : opened.lost;
        onOpen(lost);
        this.#openedMs += performance.now() - begun;
        this.#move('rollouts', found.name);
        const { retriever, router } = sources;
        const now = (): number => performance.timeOrigin + performance.now();
        return {
          deps: { policy: opened.policy, retriever, router, summarizer, now },
          adapter: found.adapter ? found.key : null,
          lost,
        };
      },
      keep: async (planned, rollout, facts) => {
        const { key, recipe, policy: at } = planned;
        if (this.#waiting.length === 0) this.#waitingSince = performance.now();
        const { pace } = itemAt(policies, at, 'policies');
        this.#waiting.push({ key, recipe: recipe.id, policy: pace, facts, rollout });
        const late = performance.now() - this.#waitingSince > WAIT_MS;
        if (this.#waiting.length >= BATCH || late) await this.#flush();
      },
      failed: ({ key }, message) => {
        this.#failures.set(key, message);
        this.#parts.store.fail(this.id, key, message).catch(() => undefined);
        this.#move('rollouts', this.#note);
      },
    });
    await this.#flush();
  }

  /** Stores what waits; only then is it shown. */
  async #flush(): Promise<void> {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    await this.#parts.store.keep(waiting);
    const rows = waiting.flatMap(({ key, facts }) => {
      this.#known.set(key, facts);
      this.#failures.delete(key);
      return (this.#byKey.get(key) ?? []).map((planned) => rowOf(planned, facts));
    });
    this.#made += waiting.length;
    this.#done += rows.length;
    this.#report.rollouts(rows);
    this.#move('rollouts', this.#note);
  }

  /**
   * LJ over the answers; what was judged before is kept.
   * @throws Error where the judge failed, so that the evaluation can continue once it is mended
   */
  async #judge(): Promise<void> {
    const { judge: choice } = this.#record.spec;
    if (choice.kind === 'off') return;
    const judge = createJudge(await this.#parts.helper(choice.policy));
    const open = [...this.#byKey].flatMap(([key, [planned]]) => {
      const facts = this.#known.get(key);
      return planned && facts && !this.#verdicts.has(key) ? [{ key, planned, facts }] : [];
    });
    this.#judged = { done: 0, total: open.length };
    this.#move('judging', judge.id);
    const kept: Promise<void>[] = [];
    const run = await judgeAnswers(
      judge,
      open.map(({ key, planned, facts }) => ({
        id: key,
        question: planned.asked.text,
        golds: planned.asked.answers,
        prediction: facts.answer,
      })),
      {
        ...JUDGE,
        signal: this.abort.signal,
        onOutcome: (outcome) => {
          this.#judged.done++;
          this.#move('judging', judge.id);
          if (outcome.status !== 'judged' || outcome.judgement.verdict === 'unreadable') return;
          const right = outcome.judgement.verdict === 'right';
          this.#verdicts.set(outcome.id, right);
          kept.push(this.#parts.store.judge(this.id, outcome.id, right));
          const facts = this.#known.get(outcome.id);
          if (facts)
            this.#report.rollouts(
              (this.#byKey.get(outcome.id) ?? []).map((planned) =>
                rowOf(planned, { ...facts, judge: Number(right) }),
              ),
            );
        },
      },
    );
    await Promise.all(kept);
    this.abort.signal.throwIfAborted();
    const failed = run.outcomes.findLast((outcome) => outcome.status === 'failed');
    if (!failed) return;
    const missing = open.length - run.progress.done + run.progress.failed;
    throw new Error(
      `The judge failed, and ${missing} of ${open.length} answers have no verdict. Its verdicts are kept; “Continue” asks for the missing ones when the judge works again. It said: ${failed.message}`,
    );
  }

  #failedCells(): number {
    let count = 0;
    for (const key of this.#failures.keys()) count += this.#byKey.get(key)?.length ?? 0;
    return count;
  }

  #move(phase: EvaluationPhase, note: string): void {
    const now = phase !== this.#phase || note !== this.#note;
    this.#phase = phase;
    this.#note = note;
    this.#report.progress(this.progress, now);
  }

  get progress(): EvaluationProgress {
    const judging = this.#phase === 'judging';
    return {
      evaluationId: this.id,
      phase: this.#phase,
      note: this.#note,
      done: judging ? this.#judged.done : this.counts.done,
      total: judging ? this.#judged.total : this.counts.planned,
      failed: this.#failedCells(),
      reused: this.#reused,
      etaSeconds: judging ? null : this.#eta(),
      pausing: this.abort.signal.aborted,
    };
  }

  #eta(): number | null {
    if (!this.#plan || this.#made < FEW) return null;
    const left = this.#byKey.size - this.#known.size - this.#failures.size;
    const making = performance.now() - this.#startedAt - this.#openedMs;
    return (making / 1000 / this.#made) * Math.max(0, left);
  }
}
