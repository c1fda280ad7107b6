import { NO_RESOURCES, type PolicyRef, type Resources } from '../../../records/setup.ts';
import type { TextModel } from '../../../policy/text-model.ts';
import { listWebLlm, type WebLlmOptions } from '../../../policy/remote/webllm/start.ts';
import type { WebLlmLine } from '../../../policy/remote/webllm/models.ts';
import { openPolicy, type OpenedPolicy, type OpenPolicyOptions } from './open-policy.ts';
import type { PartTracker } from '../../workers/part-tracker.ts';
import type { DeviceFacts } from '../../contract/policy.ts';
import type { DeviceChoice } from '../../contract/settings.ts';
import { emptySlot, type Slot } from '../../workers/slot.ts';
import type { WorkerFactory } from '../../workers/workers.ts';

export interface PolicyLoaderDeps {
  workers: WorkerFactory;
  tracker: PartTracker;
  checkpoint: OpenPolicyOptions['checkpoint'];
  onSampled: (count: number) => void;
  /** Told when it is loaded, and again when a further engine has been started. */
  onReady: (opened: OpenedPolicy) => void;
  /** Told when it cannot be loaded, or ended without being asked to. */
  onFailed: (error: unknown) => void;
}

/** The policy that is asked, and other models that judge or summarize; each is opened once. */
export class PolicyLoader {
  readonly #deps: PolicyLoaderDeps;
  #ref: PolicyRef = { kind: 'built-in' };
  #device: DeviceChoice = 'auto';
  #resources: Resources = NO_RESOURCES;
  #keys: Record<string, string> = {};
  #slot: Slot<OpenedPolicy> = emptySlot();
  /** How often what a checkpoint is held in was changed. */
  readonly #changes = new Map<string, number>();
  /** What the slot was opened with. */
  #opened = '';
  /** Models that only help, by what they are opened with. */
  readonly #helpers = new Map<string, Slot<OpenedPolicy>>();

  constructor(deps: PolicyLoaderDeps) {
    this.#deps = deps;
  }

  get loading(): Promise<OpenedPolicy> | null {
    return this.#slot.loading;
  }

  /** What was loaded for another choice ends: its memory goes with it. */
  want(ref: PolicyRef, device: DeviceChoice): void {
    this.#ref = ref;
    this.#device = device;
    this.#dropStale();
  }

  /**
   * What was opened with an older address or model is opened again when it is needed.
   * @param busy a run uses it: it stays until `want` is called next
   */
  provide(resources: Resources, keys: Record<string, string>, busy: boolean): void {
    this.#resources = resources;
    this.#keys = keys;
    if (!busy) this.#dropStale();
  }

  /**
   * The precision of a checkpoint changed: drops policies opened from it.
   * @param busy a run uses the policy, so it stays until the next call of `want`
   */
  changed(checkpoint: string, busy: boolean): void {
    this.#changes.set(checkpoint, (this.#changes.get(checkpoint) ?? 0) + 1);
    if (!busy) this.#dropStale();
  }

  load(): void {
    if (this.#slot.loading) return;
    const slot = emptySlot<OpenedPolicy>();
    this.#slot = slot;
    this.#opened = this.#wanted();
    const fail = (error: unknown) => {
      // A policy that was replaced has nothing to say any more.
      if (this.#slot !== slot) return;
      slot.loading = null;
      slot.terminate();
      this.#deps.onFailed(error);
    };
    slot.loading = this.#open(this.#ref, slot, this.#deps.tracker, fail);
    slot.loading.then((opened) => {
      if (this.#slot === slot) this.#deps.onReady(opened);
    }, fail);
  }

  /**
   * A model as judge or summarizer: the policy itself where it is the same, else one of its own.
   * @throws Error where it cannot be opened or gives no text
   */
  async textModel(ref: PolicyRef): Promise<TextModel> {
    const spec = this.#spec(ref);
    if (spec === this.#spec(this.#ref) && this.#slot.loading)
      return (await this.#slot.loading).textModel();
    let slot = this.#helpers.get(spec);
    if (!slot) {
      slot = emptySlot();
      this.#helpers.set(spec, slot);
      const opened = slot;
      const fail = () => {
        if (this.#helpers.get(spec) === opened) this.#helpers.delete(spec);
        opened.terminate();
      };
      slot.loading = this.#open(ref, slot, { loading: () => undefined }, fail);
      slot.loading.catch(fail);
    }
    return (await slot.loading!).textModel();
  }

  /**
   * A policy of its own beside the page's, for what runs in the background.
   * @param onLost told when it ends without being asked to
   * @returns it, and how to end it
   */
  async openApart(
    ref: PolicyRef,
    device: DeviceChoice,
    onLost: (error: unknown) => void,
  ): Promise<OpenedPolicy & { terminate: () => void }> {
    const { workers, checkpoint } = this.#deps;
    const slot = emptySlot<OpenedPolicy>();
    const opened = await openPolicy({
      ref,
      workers,
      checkpoint,
      tracker: { loading: () => undefined },
      resources: this.#resources,
      keyOf: (endpoint) => this.#keys[endpoint] ?? '',
      device,
      onSampled: () => undefined,
      onLost,
      onStarted: (terminate) => (slot.terminate = terminate),
    }).catch((error: unknown) => {
      slot.terminate();
      throw error;
    });
    return { ...opened, terminate: () => slot.terminate() };
  }

  /** Server and model of a remote policy; null for one of this device. */
  endpointOf(ref: PolicyRef): unknown {
    return ref.kind === 'endpoint' || ref.kind === 'webllm' ? JSON.parse(this.#spec(ref)) : null;
  }

  /** Ends helpers that are not among these. */
  keepHelpers(refs: readonly PolicyRef[]): void {
    const kept = new Set(refs.map((ref) => this.#spec(ref)));
    for (const [spec, slot] of this.#helpers) {
      if (kept.has(spec)) continue;
      this.#helpers.delete(spec);
      slot.terminate();
    }
  }

  webLlmModels(): Promise<WebLlmLine[]> {
    const { webllm: custom, mirror } = this.#resources;
    // Fields that are absent, not undefined.
    const places: NonNullable<WebLlmOptions['mirror']> = {};
    if (mirror.weights !== undefined) places.weights = mirror.weights;
    if (mirror.libraries !== undefined) places.libraries = mirror.libraries;
    return listWebLlm({ custom, mirror: places });
  }

  #open(
    ref: PolicyRef,
    slot: Slot<OpenedPolicy>,
    tracker: OpenPolicyOptions['tracker'],
    onLost: (error: unknown) => void,
  ): Promise<OpenedPolicy> {
    const { workers, checkpoint, onSampled } = this.#deps;
    return openPolicy({
      ref,
      workers,
      checkpoint,
      tracker,
      resources: this.#resources,
      keyOf: (endpoint) => this.#keys[endpoint] ?? '',
      device: this.#device,
      onSampled: (count) => {
        if (slot === this.#slot) onSampled(count);
      },
      onEngines: (device) => void this.#moreEngines(slot, device),
      onLost,
      onStarted: (terminate) => (slot.terminate = terminate),
    });
  }

  async #moreEngines(slot: Slot<OpenedPolicy>, device: DeviceFacts): Promise<void> {
    const opened = await slot.loading;
    if (opened && slot === this.#slot) this.#deps.onReady({ ...opened, device });
  }

  #wanted(): string {
    return JSON.stringify([this.#spec(this.#ref), this.#device]);
  }

  #dropStale(): void {
    if (!this.#slot.loading || this.#opened === this.#wanted()) return;
    this.#slot.terminate();
    this.#slot = emptySlot();
  }

  /** What a policy is opened with, to tell whether that changed. */
  #spec(ref: PolicyRef): string {
    const { endpoints, webllm, mirror } = this.#resources;
    if (ref.kind === 'endpoint')
      return JSON.stringify([ref, endpoints.find((entry) => entry.id === ref.id) ?? null]);
    if (ref.kind === 'webllm')
      return JSON.stringify([ref, webllm.find((entry) => entry.id === ref.id) ?? null, mirror]);
    if (ref.kind === 'checkpoint') return JSON.stringify([ref, this.#changes.get(ref.id) ?? 0]);
    return JSON.stringify(ref);
  }
}
