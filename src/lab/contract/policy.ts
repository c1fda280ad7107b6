import type { LoraSpec } from '../../policy/lora/spec.ts';
import type { DeviceMeasure, Figure } from '../../policy/measure/device.ts';
import type { Agreement } from '../../policy/model/agreement.ts';
import type { MatrixType, StoreType } from '../../policy/ops/values.ts';

/** What the lab worker and a policy worker say to each other. */

/** What the engine runs on. */
export type EngineDevice = 'wasm' | 'webgpu';

/** The GPU, the CPU or the server that the policy runs on. */
export interface DeviceFacts {
  device: EngineDevice | 'server';
  /** Adapter name as the browser tells it; number of engines (one per core) for WASM; a server's name. */
  adapter: string;
  /** A software adapter is shown as such. */
  fallback: boolean;
}

/** The files of a checkpoint, fetched once for all engines. */
export interface FetchedCheckpoint {
  /** Name for records. */
  id: string;
  files: Record<string, Uint8Array>;
}

/** A checkpoint in this device's storage: each engine reads it there, layer by layer. */
export interface StoredCheckpoint {
  /** `owner/name` on the hub whose weights these are; absent of GGUF files and of other places. */
  repository?: string;
  /** Name for records. */
  id: string;
  /** Its id in the storage. */
  stored: string;
  /** Beginning of the SHA-256 of its weights, and what they are held in where that changes them. */
  revision: string;
  /** What its weights are held in; absent: what its files and the device suggest. */
  weights?: MatrixType;
  /** What keys and values of its contexts are held in; absent: as their size and the device suggest. */
  keys?: StoreType;
  /** Most tokens of one context, and contexts at a time, that its key-value cache is made for. */
  maxContext: number;
  maxSlots: number;
}

export type Checkpoint = FetchedCheckpoint | StoredCheckpoint;

/** What the module of a policy worker exposes. */
export interface PolicyWorkerApi {
  /**
   * Loads the checkpoint and serves it at the port.
   * @throws CheckpointError where a file is broken.
   */
  load(checkpoint: Checkpoint, device: EngineDevice, port: MessagePort): Promise<void>;
  /** Serves a replica of the learner, over the weights loaded before, at another port. */
  train(adapter: LoraSpec, port: MessagePort): Promise<void>;
  /**
   * How near packed weights and contexts are to their checkpoint.
   * @throws Error where neither is packed; the signal's reason
   */
  agreement(onLayer: OnLayer, signal: AbortSignal): Promise<Agreement>;
  /** How fast the device is, and how much of that the policy uses. @throws the signal's reason */
  measure(onFigure: OnMeasurement, onShare: OnShare, signal: AbortSignal): Promise<DeviceMeasure>;
}

/** Layers that were compared so far, of all. */
export type OnLayer = (done: number, layers: number) => void;
export type OnMeasurement = (figure: Figure) => void;
/** How much of a measurement is done, 0 to 1. */
export type OnShare = (share: number) => void;

/** What can be found out about a policy of this device besides asking it. */
export type PolicyTrials = Pick<PolicyWorkerApi, 'agreement' | 'measure'>;
