import { basename } from 'node:path';
import type { RouterWeights } from '../../../agent/router/network.ts';
import { readTags } from '../../../agent/transcript/tags.ts';
import type { ResolvedPolicy } from '../../../evaluate/systems/plan/plan.ts';
import type { EvaluatedPolicy } from '../../../evaluate/systems/spec.ts';
import { decodeRouterState } from '../../../learn/router/learner.ts';
import type { Adapter } from '../../../policy/lora/peft.ts';
import type { LoraSpec } from '../../../policy/lora/spec.ts';
import type { Policy } from '../../../policy/policy.ts';
import { TRAINING } from '../../../recipes/parts/training-base.ts';
import { say } from '../../shared/command.ts';
import { UsageError } from '../../shared/options.ts';
import { foldedRevision, readAdapterFolder } from '../../shared/parts.ts';
import { StudyEngine } from '../../study/study-engine.ts';
import { sayBefore } from '../../train/before.ts';
import { adapterAt, readRun } from '../../train/folder.ts';

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

export class EvaluatedPolicies {
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
