import type { RouterWeights } from '../../../agent/router/network.ts';
import { readTags } from '../../../agent/transcript/tags.ts';
import { sha256 } from '../../../base/hash.ts';
import type { ResolvedPolicy } from '../../../evaluate/systems/plan/plan.ts';
import type { EvaluatedPolicy } from '../../../evaluate/systems/spec.ts';
import { decodeRouterState } from '../../../learn/router/learner.ts';
import { loadTokenizer } from '../../../policy/open/load.ts';
import type { LoraValues, Policy } from '../../../policy/policy.ts';
import { BUILT_IN_SETUP, type PolicyRef } from '../../../records/setup.ts';
import type { PolicyLoader } from './policy-loader.ts';
import type { PolicyFacts } from './policy-facts.ts';
import { chooseDevice } from './device.ts';
import type { DeviceChoice } from '../../contract/settings.ts';
import type { RunStore } from '../../storage/run-store.ts';

/** Policies by what they are asked for as, with the adapter of a run, one open at a time. */

export interface PolicyParts extends Pick<PolicyLoader, 'openApart' | 'endpointOf'> {
  runs: Pick<RunStore, 'run' | 'adapterAt' | 'adapterSteps'>;
  /** Of one that this device can train. @throws Error */
  facts(ref: PolicyRef): Promise<PolicyFacts>;
}

export interface LocalPolicy extends ResolvedPolicy {
  ref: PolicyRef;
  /** Id, by which earlier rollouts are looked at for an estimate. */
  pace: string;
  adapter: LoraValues | null;
  router: RouterWeights | undefined;
}

const deviceOf = async (device: DeviceChoice) =>
  chooseDevice(device, navigator.gpu, navigator.hardwareConcurrency);

/** Read from its tokenizer; the built-in policy's tags are known to be ids. */
async function spellingOf(
  ref: PolicyRef,
  { facts }: Pick<PolicyParts, 'facts'>,
): Promise<'ids' | 'text'> {
  if (ref.kind === 'built-in') return 'ids';
  const { files, release } = await (await facts(ref)).open();
  try {
    return readTags(await loadTokenizer(files)).spelling;
  } finally {
    release();
  }
}

/** @throws Error for a policy, a run or a step that is not here any more */
export async function findPolicy(
  policy: EvaluatedPolicy,
  device: DeviceChoice,
  parts: PolicyParts,
): Promise<LocalPolicy> {
  if (policy.kind === 'folders')
    throw new Error(
      'This evaluation names folders of the command line; choose models of this browser instead.',
    );
  if (policy.kind === 'base') {
    const { policy: ref } = policy;
    const elsewhere = parts.endpointOf(ref);
    if (elsewhere !== null && 'id' in ref) {
      const { id } = ref;
      return {
        key: id,
        name: id,
        identity: { elsewhere },
        // Its tags are text: nobody else's tokens are the protocol's.
        spelling: () => Promise.resolve('text'),
        ref,
        pace: id,
        adapter: null,
        router: undefined,
      };
    }
    const { id, revision } = await parts.facts(ref);
    const chosen = (await deviceOf(device)).facts.device;
    return {
      key: ref.kind === 'checkpoint' ? ref.id : id,
      name: id,
      identity: { revision, device: chosen },
      spelling: () => spellingOf(ref, parts),
      ref,
      pace: `${id} ${revision} ${chosen}`,
      adapter: null,
      router: undefined,
    };
  }
  const run = await parts.runs.run(policy.run);
  const [last] = await parts.runs.adapterSteps(run.id);
  const step = policy.step ?? last;
  if (step === undefined)
    throw new Error(
      run.untrained
        ? `"${run.name}" has not learned yet, so there is no adapter to use.`
        : `"${run.name}" has no snapshot yet, so there is no adapter to use.`,
    );
  const { adapter, router } = await parts.runs.adapterAt(run.id, step);
  const { policy: ref } = run.setup ?? BUILT_IN_SETUP;
  const base = await findPolicy({ kind: 'base', policy: ref }, device, parts);
  const { revision } = await parts.facts(ref);
  if (run.policy.revision !== revision)
    throw new Error(
      `"${run.name}" is an adapter of the model ${run.policy.id} ${run.policy.revision}, but ${revision} is loaded. Load the model that the run started with.`,
    );
  return {
    ...base,
    key: `${run.id}-step-${step}`,
    name: `${run.name}, step ${step}`,
    identity: {
      base: base.identity,
      spec: run.settings.adapter,
      adapter: await sha256(new Uint8Array(adapter.buffer, adapter.byteOffset, adapter.byteLength)),
      router,
    },
    adapter: { spec: run.settings.adapter, flat: adapter },
    router: router === null ? undefined : decodeRouterState(router).weights,
  };
}

/** The policy that is open; another one takes its place. */
export class OpenPolicy {
  readonly #open: PolicyParts['openApart'];
  #now: { key: string; policy: Policy; lost: AbortController; terminate: () => void } | null = null;

  constructor(open: PolicyParts['openApart']) {
    this.#open = open;
  }

  /** @throws Error where it cannot be opened, or takes no adapter */
  async get(
    { ref, adapter }: LocalPolicy,
    device: DeviceChoice,
  ): Promise<{ policy: Policy; lost: AbortSignal }> {
    const key = JSON.stringify([ref, device]);
    if (this.#now && (this.#now.key !== key || this.#now.lost.signal.aborted)) this.end();
    if (!this.#now) {
      const lost = new AbortController();
      const opened = await this.#open(ref, device, (error) => lost.abort(error));
      this.#now = { key, policy: opened.policy, lost, terminate: opened.terminate };
    }
    const { policy, lost } = this.#now;
    if (adapter && !policy.setAdapter)
      throw new Error('This model cannot use an adapter, because it runs on another engine.');
    await policy.setAdapter?.(adapter);
    return { policy, lost: lost.signal };
  }

  end(): void {
    const now = this.#now;
    this.#now = null;
    now?.terminate();
  }
}
