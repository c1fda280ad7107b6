import { messageOf } from '../../../base/errors.ts';
import { importRollouts } from '../../../formats/rollouts/import.ts';
import type { ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import { inStepOrder } from '../../../formats/rollouts/shape/names.ts';
import { stepOf, type AdoptedExperiment, type Counting } from '../experiment.ts';
import { nameOf, type AdoptFolder } from '../folder.ts';
import { factOf, type RolloutFact } from './facts.ts';
import { lastById, type RolloutSource } from './source.ts';

/** The trainers' own dumps, read where the environment's records are missing. */

interface Layout {
  name: string;
  /** Of the paths of its files. */
  pattern: RegExp;
  counts: Counting;
}

const LAYOUTS: readonly Layout[] = [
  { name: 'TRL’s completions', pattern: /(?:^|\/)completions_\d+\.parquet$/, counts: 'updates' },
  { name: 'verl’s dumps', pattern: /(?:^|\/)rollouts\/\d+\.jsonl$/, counts: 'steps' },
];

/** A dump's steps and names count as its trainer does; here they become Forage's. */
function renamed(
  rollout: ImportedRollout,
  { runId, ...experiment }: AdoptedExperiment,
  counts: Counting,
): ImportedRollout | null {
  if (rollout.step === null) return null;
  const step = stepOf(experiment, rollout.step, counts);
  const group = rollout.groupId.replace(/^\d+\//, '');
  const id = `${runId}-${step}-${rollout.id.slice(rollout.id.lastIndexOf(':') + 1)}`;
  const own = rollout.origin?.fields['rollout'];
  return {
    ...rollout,
    id: typeof own === 'string' ? own : id,
    runId,
    step,
    groupId: `${runId}-${step}-${group}`,
  };
}

class Dumps implements RolloutSource {
  readonly facts = new Map<number, RolloutFact[]>();
  readonly heldOut = new Map<number, RolloutFact[]>();
  readonly #files = new Map<number, Set<string>>();
  readonly #folder: AdoptFolder;
  readonly #experiment: AdoptedExperiment;
  readonly #layout: Layout;

  constructor(folder: AdoptFolder, experiment: AdoptedExperiment, layout: Layout) {
    this.#folder = folder;
    this.#experiment = experiment;
    this.#layout = layout;
  }

  async #rollouts(path: string, onFault: (reason: string) => void): Promise<ImportedRollout[]> {
    const blob = this.#folder.blob(path);
    const found: ImportedRollout[] = [];
    if (!blob) return found;
    try {
      for await (const item of importRollouts(blob, nameOf(path))) {
        await this.#folder.turn();
        const rollout =
          item.kind === 'rollout'
            ? renamed(item.rollout, this.#experiment, this.#layout.counts)
            : null;
        if (rollout) found.push(rollout);
        else onFault(item.kind === 'fault' ? `line ${item.line} ${item.reason}` : 'it has no step');
      }
    } catch (error) {
      await this.#folder.turn();
      onFault(messageOf(error));
    }
    return found;
  }

  /** Counts what is there. @returns what is missing of it, in sentences */
  async open(paths: readonly string[]): Promise<string[]> {
    const notes: string[] = [];
    let [bare, all, without] = [0, 0, 0];
    for (const path of paths) {
      let first: string | null = null;
      for (const rollout of await this.#rollouts(path, (reason) => (first ??= reason))) {
        const step = rollout.step ?? 0;
        this.#files.set(step, (this.#files.get(step) ?? new Set()).add(path));
        this.facts.set(step, [...(this.facts.get(step) ?? []), factOf(rollout)]);
        all += 1;
        bare += Number(!rollout.origin?.protocol);
        without += Number(!rollout.segments.some(({ ids, tokens }) => ids ?? tokens));
      }
      if (first !== null) notes.push(`${path} cannot be read whole: ${String(first)}.`);
    }
    for (const [step, facts] of this.facts)
      this.facts.set(
        step,
        lastById(facts.map((fact) => ({ fact }))).map(({ fact }) => fact),
      );
    if (all === 0) return notes;
    const { name } = this.#layout;
    notes.push(
      `The environment’s rollouts.jsonl is missing: ${name} replace it, without events` +
        (without > 0 ? `, and ${without} of ${all} without tokens` : '') +
        (bare > 0
          ? `; ${bare} of ${all} have no tags (special tokens were left out), so their turns are unknown`
          : '') +
        '.',
    );
    return notes;
  }

  async read(step: number): Promise<ImportedRollout[]> {
    const found: ImportedRollout[] = [];
    for (const path of this.#files.get(step) ?? [])
      found.push(...(await this.#rollouts(path, () => undefined)));
    const own = found.filter((rollout) => rollout.step === step);
    return lastById(own.map((rollout) => ({ rollout, fact: factOf(rollout) }))).map(
      ({ rollout }) => rollout,
    );
  }
}

/** The first kind of dumps that is there; null without any. */
export async function dumpedRollouts(
  folder: AdoptFolder,
  experiment: AdoptedExperiment,
  notes: string[],
): Promise<RolloutSource | null> {
  for (const layout of LAYOUTS) {
    const paths = folder.matching(layout.pattern).map(({ path: name }) => ({ name }));
    if (paths.length === 0) continue;
    const dumps = new Dumps(folder, experiment, layout);
    notes.push(...(await dumps.open(inStepOrder(paths).map(({ name }) => name))));
    if (dumps.facts.size > 0) return dumps;
  }
  return null;
}
