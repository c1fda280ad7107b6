import { duration } from '../../evaluate/study/estimate.ts';
import { itemAt } from '../../base/items.ts';
import { writeEvaluationFile } from '../../evaluate/systems/file.ts';
import { expectedSeconds, toBeTimed } from '../../evaluate/systems/plan/estimate.ts';
import { executeEvaluation, missing, resultOf } from '../../evaluate/systems/plan/execute.ts';
import {
  planEvaluation,
  type EvaluationPlan,
  type PlannedRollout,
  type ResolvedPolicy,
} from '../../evaluate/systems/plan/plan.ts';
import type { EvaluationResult } from '../../evaluate/systems/result.ts';
import type { EvaluationSpec, EvaluatedPolicy } from '../../evaluate/systems/spec.ts';
import type { SystemsTable } from '../../evaluate/systems/table/shape.ts';
import { countText } from '../../evaluate/verdict.ts';
import { tableText } from '../../evaluate/systems/table/text.ts';
import { openSummarizer } from '../../retrieval/summarize/index.ts';
import { askingOf, openJudgeModel, readPrice } from './judge-options.ts';
import { runJudge } from './judge-run.ts';
import { judgeLines } from './judge-lines.ts';
import { version } from '../parts/export-source.ts';
import { abortOnSignals } from '../parts/abort.ts';
import { endProgress, print, say, sayProgress } from '../shared/command.ts';
import { type OptionLists, type OptionValues, UsageError } from '../shared/options.ts';
import { EvaluationFolder } from './folder.ts';
import { specOf } from './options.ts';
import { openSet, retrieverFor, routerFor, type OpenSet } from './sets.ts';
import { partsOf, tablesBy } from './tables.ts';
import { basename } from 'node:path';
import type { RouterWeights } from '../../agent/router/network.ts';
import { readTags } from '../../agent/transcript/tags.ts';
import { decodeRouterState } from '../../learn/router/learner.ts';
import type { Adapter } from '../../policy/lora/peft.ts';
import type { LoraSpec } from '../../policy/lora/spec.ts';
import type { Policy } from '../../policy/policy.ts';
import { TRAINING } from '../../recipes/parts/training-base.ts';
import { foldedRevision, readAdapterFolder } from '../shared/parts.ts';
import { StudyEngine } from '../study/study-engine.ts';
import { sayBefore } from '../train/before.ts';
import { adapterAt, readRun } from '../train/folder.ts';

/** The policies of an evaluation, one open at a time. */

interface LocatedPolicy extends ResolvedPolicy {
  folder: string | undefined;
  adapter: Adapter | null;
  router: RouterWeights | undefined;
  /** Key of estimates: the same checkpoint on the same number of threads takes equally long. */
  pace: string;
}

const ANY_ADAPTER: LoraSpec = { ...TRAINING.adapter, targets: [...TRAINING.adapter.targets] };

/** Name of an adapter in row ids and as text. */
function labelOf(
  path: string,
  step: number | null,
  short: (path: string) => string = (whole) => whole,
): { key: string; name: string } {
  const of = short(path);
  const key = of.replaceAll(/[^\w.]+/gu, '-');
  return step === null
    ? { key, name: of }
    : { key: `${key}-step-${step}`, name: `${of}, step ${step}` };
}

class EvaluatedPolicies {
  readonly threads: number;
  readonly #found: LocatedPolicy[] = [];
  #open: { folder: string | undefined; workshop: StudyEngine } | null = null;

  /** @param threads samplers */
  constructor(threads: number) {
    this.threads = threads;
  }

  /** @throws UsageError for a policy that is not on this machine; CheckpointError, AdapterError */
  async find(policy: EvaluatedPolicy): Promise<void> {
    if (policy.kind === 'run' || (policy.kind === 'base' && policy.policy.kind !== 'built-in'))
      throw new UsageError(
        `The model ${JSON.stringify(policy)} is stored in a browser; name a folder with --policy, --adapter or --run.`,
      );
    const given: Omit<Extract<EvaluatedPolicy, { kind: 'folders' }>, 'kind'> = policy.kind ===
    'folders'
      ? policy
      : {};
    const run = given.run === undefined ? null : readRun(given.run);
    if (run) sayBefore(run, (line) => say(`${given.run}: ${line}`));
    const folder = given.policy ?? run?.policy.folder;
    const workshop = await this.#workshop(folder);
    const { spelling } = readTags(workshop.tokenizer);
    const step = given.step ?? null;
    const learned = given.run === undefined ? null : adapterAt({ run: given.run, step }, say);
    const from = learned?.folder ?? given.adapter;
    const adapter = from === undefined ? null : await readAdapterFolder(workshop.config, from);
    const state = learned?.router ?? null;
    const { id } = workshop.checkpoint;
    const trained = given.run ?? given.adapter;
    const label = trained === undefined ? { key: id, name: id } : labelOf(trained, step, basename);
    const taken = this.#found.some(({ key }) => key === label.key);
    // Folders of one name are distinguished by their paths.
    const { key, name } = trained !== undefined && taken ? labelOf(trained, step) : label;
    this.#found.push({
      key,
      name: trained === undefined ? id : `${id} with ${name}`,
      identity: {
        weights: adapter ? foldedRevision(workshop.revision, adapter) : workshop.revision,
        router: state,
        device: 'wasm',
      },
      spelling: () => Promise.resolve(spelling),
      folder,
      adapter,
      pace: `${id} ${workshop.revision}, ${this.threads} threads`,
      router: state === null ? undefined : decodeRouterState(state).weights,
    });
  }

  get found(): readonly LocatedPolicy[] {
    return this.#found;
  }

  /** The policy at an index of the spec, with the router of its run. */
  async open(at: number): Promise<{
    policy: Policy;
    /** Name of its adapter in records; null without one. */
    adapter: string | null;
    router: RouterWeights | undefined;
  }> {
    const found = this.#found[at];
    if (!found) throw new Error(`there is no policy ${at}`);
    const workshop = await this.#workshop(found.folder);
    const { policy } = await workshop.threads(found.adapter?.spec ?? ANY_ADAPTER);
    await policy.setAdapter?.(found.adapter);
    return { policy, adapter: found.adapter ? found.key : null, router: found.router };
  }

  async #workshop(folder: string | undefined): Promise<StudyEngine> {
    if (this.#open && this.#open.folder === folder) return this.#open.workshop;
    await this.close();
    const options = { threads: this.threads, microTokens: 2048 };
    const workshop = await StudyEngine.open(folder, options);
    this.#open = { folder, workshop };
    return workshop;
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await open?.workshop.close();
  }
}

/** `lab evaluate --recipes`: several systems on the same questions. */

interface OpenEvaluation {
  spec: EvaluationSpec;
  plan: EvaluationPlan;
  sets: OpenSet[];
  policies: EvaluatedPolicies;
}

async function open(
  spec: EvaluationSpec,
  policies: EvaluatedPolicies,
  folder: string | null,
): Promise<OpenEvaluation> {
  for (const policy of spec.policies) await policies.find(policy);
  const sets: OpenSet[] = [];
  for (const source of spec.questions) sets.push(await openSet(source, folder));
  const plan = await planEvaluation(spec, {
    policies: policies.found,
    sets,
    sources: (set, { local, web }) =>
      Promise.resolve({
        world: itemAt(sets, set).identity,
        local: local ?? null,
        web: web ?? null,
      }),
    version: version(),
  });
  return { spec, plan, sets, policies };
}

/** Runs and stores the missing rollouts of a plan. @param failures messages of failed ones, by key */
async function make(
  { spec, plan, sets, policies }: OpenEvaluation,
  folder: EvaluationFolder,
  failures: Map<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const todo = missing(plan, folder.known).flat().length;
  let made = 0;
  const summarizer = spec.summarizer.kind === 'model' ? null : openSummarizer(spec.summarizer);
  const startedAt = performance.now();
  const paces = policies.found.map(({ pace }) => pace);
  const tell = (): void => {
    made++;
    const seconds = (performance.now() - startedAt) / 1000;
    const left = duration((seconds / made) * (todo - made));
    const fault = failures.size > 0 ? `, ${failures.size} failed` : '';
    sayProgress(`${made}/${todo} rollouts${fault}, ≈ ${left} left`);
  };
  try {
    await executeEvaluation(plan, {
      known: folder.known,
      open: async ({ policy: at, set, retrieval }) => {
        const { policy, adapter, router } = await policies.open(at);
        const source = itemAt(sets, set);
        return {
          deps: {
            policy,
            retriever: retrieverFor(source, itemAt(spec.retrieval, retrieval)),
            router: routerFor(source, router),
            summarizer,
            now: Date.now,
          },
          adapter,
        };
      },
      keep: ({ key, policy }, rollout, facts) => {
        folder.keep(key, rollout, facts, paces[policy]);
        failures.delete(key);
        tell();
      },
      failed: ({ key, system, question }, message) => {
        failures.set(key, message);
        endProgress();
        say(`failed: ${system} on ${question}: ${message}`);
        tell();
      },
      signal,
    });
  } finally {
    folder.flush();
    endProgress();
  }
}

/**
 * Prints how many rollouts are left and how long they take: measured on earlier rollouts here, else on the first ones, which are
 * run for that.
 */
async function printEstimate(
  opened: OpenEvaluation,
  folder: EvaluationFolder,
  failures: Map<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const { plan, policies } = opened;
  const paces = policies.found.map(({ pace }) => pace);
  const left = (): PlannedRollout[] => missing(plan, folder.known).flat();
  const [systems, questions, all, todo] = [
    plan.systems.length,
    plan.questions.length,
    plan.rollouts.length,
    left(),
  ];
  say(`${systems} systems on ${questions} questions: ${all} rollouts, ${todo.length} to run`);
  const timed = toBeTimed(todo, paces, folder.measured());
  if (timed.length > 0) {
    say(`timing the first ${timed.length} of them …`);
    await make({ ...opened, plan: { ...plan, rollouts: timed } }, folder, failures, signal);
  }
  const { seconds, basis } = expectedSeconds(left(), paces, folder.measured());
  if (seconds === null) say(`${left().length} rollouts left; how long they take is ${basis}`);
  else if (seconds > 0) say(`${left().length} rollouts left, ≈ ${duration(seconds)} ${basis}`);
}

/** LJ over the answers; verdicts are kept in the folder and asked for once. */
async function judged(
  result: EvaluationResult,
  values: OptionValues,
  folder: EvaluationFolder,
): Promise<EvaluationResult> {
  const opened = await openJudgeModel(values);
  if (!opened) return result;
  try {
    const questions = new Map(result.questions.map((question) => [question.id, question]));
    const items = result.rollouts.map((rollout, at) => ({
      id: String(at),
      question: questions.get(rollout.question)?.text ?? '',
      golds: [...(questions.get(rollout.question)?.answers ?? [])],
      prediction: rollout.answer,
    }));
    const given = values['judgements'];
    const kept = folder.path === null ? null : `${folder.path}/judgements.jsonl`;
    const { report, outcomes } = await runJudge(items, {
      opened,
      asking: askingOf(values),
      price: readPrice(values['judge-price']),
      file: given === undefined ? kept : String(given),
    });
    say(judgeLines(report).join('\n'));
    const verdicts = new Map(
      outcomes.flatMap((outcome) =>
        outcome.status === 'judged' && outcome.judgement.verdict !== 'unreadable'
          ? [[outcome.id, Number(outcome.judgement.verdict === 'right')] as const]
          : [],
      ),
    );
    return {
      ...result,
      rollouts: result.rollouts.map((rollout, at) => ({
        ...rollout,
        judge: verdicts.get(String(at)) ?? null,
      })),
    };
  } finally {
    opened.close();
  }
}

/** Tables without measured times, the only numbers that do not repeat. */
const withoutTimes = (tables: readonly SystemsTable[]): SystemsTable[] =>
  tables.map((table) => ({
    ...table,
    rows: table.rows.map((row) => ({
      ...row,
      cells: row.cells.filter(({ measure }) => measure !== 'seconds'),
    })),
  }));

function writeFiles(
  folder: EvaluationFolder,
  result: EvaluationResult,
  tables: readonly SystemsTable[],
  spec: EvaluationSpec,
): void {
  const text = { result, tables, times: false };
  folder.write('table.md', tableText(text, 'markdown'));
  folder.write('table.csv', tableText(text, 'csv'));
  folder.write('table.tex', tableText(text, 'latex'));
  folder.write('table.json', `${JSON.stringify(withoutTimes(tables), null, 1)}\n`);
  folder.write('evaluation.json', writeEvaluationFile(result.name, spec, result));
  const seconds = (tables[0]?.rows ?? []).map(({ system, cells }) => [
    system,
    cells.find(({ measure }) => measure === 'seconds')?.value ?? null,
  ]);
  folder.write('times.json', `${JSON.stringify(Object.fromEntries(seconds), null, 1)}\n`);
}

function printed(
  result: EvaluationResult,
  tables: readonly SystemsTable[],
  values: OptionValues,
): string {
  const times = values['times'] === true;
  const text = { result, tables, times };
  if (values['json'] === true)
    return JSON.stringify({
      name: result.name,
      hash: result.hash,
      planned: result.planned,
      systems: result.systems,
      skipped: result.skipped ?? [],
      tables: times ? tables : withoutTimes(tables),
      failed: result.failed,
    });
  if (values['csv'] === true) return tableText(text, 'csv').trimEnd();
  if (values['latex'] === true) return tableText(text, 'latex').trimEnd();
  return tableText({ ...text, times: times || values['markdown'] !== true }, 'markdown').trimEnd();
}

/** @throws UsageError, and Error where some rollouts failed */
export async function evaluateSystems(values: OptionValues, lists: OptionLists): Promise<void> {
  const { name, spec } = specOf(values, lists);
  const out = values['out'] === undefined ? null : String(values['out']);
  const folder = new EvaluationFolder(out);
  const policies = new EvaluatedPolicies(Number(values['threads'] ?? 2));
  using stop = abortOnSignals('stopping; finished rollouts are kept …');
  try {
    const opened = await open(spec, policies, out);
    const { plan } = opened;
    for (const { title, policy, reason } of plan.skipped)
      say(`not run: ${title} with ${policy}: ${reason}.`);
    if (plan.leftOut > 0)
      say(`Left out, without a gold answer: ${countText(plan.leftOut, 'question')}.`);
    folder.begin();
    const failures = new Map<string, string>();
    await printEstimate(opened, folder, failures, stop.signal);
    if (values['estimate'] === true) return;
    await make(opened, folder, failures, stop.signal);
    const result = await judged(resultOf(plan, name, folder.known, failures), values, folder);
    const text = (option: string): string | undefined => values[option] as string | undefined;
    const tables = await tablesBy(result, partsOf(text('by')), text('reference'));
    writeFiles(folder, result, tables, spec);
    print(printed(result, tables, values));
    if (failures.size > 0)
      throw new Error(
        `${failures.size} rollouts failed and are left out of all numbers; the same command tries them again.`,
      );
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    say(
      out === null
        ? 'stopped; nothing was kept. --out DIR keeps finished rollouts.'
        : `stopped; ${out} has the finished rollouts, and the same command continues.`,
    );
    process.exitCode = 1;
  } finally {
    await policies.close();
  }
}
