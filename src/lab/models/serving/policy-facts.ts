import type { CheckpointFiles } from '../../../policy/checkpoint/checkpoint-files.ts';
import type { PolicyConfig } from '../../../policy/checkpoint/config.ts';
import type { CacheLimits } from '../../../policy/checkpoint/limits.ts';
import type { TrainingQuestion } from '../../../learn/replicas/training-memory.ts';
import type { HeldTypes, StoredType } from '../../../policy/checkpoint/weight-type.ts';
import { keyTypeFor, matrixTypeFor } from '../../../policy/open/device.ts';
import { MAX_SLOTS } from '../../../policy/open/loaded-policy.ts';
import type { MatrixType, StoreType } from '../../../policy/ops/values.ts';
import type { EngineDevice } from '../../contract/policy.ts';
import { factsOf, filesOf, type CheckpointSource, type OpenStored } from './checkpoint-source.ts';
import { chooseDevice } from './device.ts';
import type { DeviceView } from './device-limits.ts';

/** What training knows of the policy without starting it. */
export interface PolicyFacts {
  id: string;
  /** `owner/name` on the hub, where Python finds the same weights; absent where it is from elsewhere. */
  repository?: string | undefined;
  /** Beginning of the SHA-256 of the weights, as a loaded policy names its revision. */
  revision: string;
  config: PolicyConfig;
  /** What its weights are stored in, and what the user chose to hold them in. */
  stored: StoredType;
  /** Of a GGUF file: what its matrices are held in, by name. */
  packed?: HeldTypes;
  weights?: MatrixType | undefined;
  /** Contexts of one that is no built-in one: what the user chose to hold them in, and what they are made for. */
  contexts?: { keys: StoreType | undefined } & CacheLimits;
  /** Workers that will share the training. */
  engines: number;
  /** Its files, which stay on the device until they are released. */
  open(): Promise<{ files: CheckpointFiles; release: () => void }>;
}

/** What keys and values are held in, as an engine on the device would choose. */
export function keysOn(
  device: EngineDevice,
  { config, contexts }: Pick<PolicyFacts, 'config' | 'contexts'>,
): StoreType {
  if (!contexts) return 'f32';
  const { keys, maxContext: maxPositions, maxSlots } = contexts;
  return keys ?? keyTypeFor({ ...config, maxPositions }, maxSlots, device);
}

/** What training on a device counts with, as its engines are started. */
export function trainingQuestion(
  facts: Pick<PolicyFacts, 'config' | 'contexts' | 'stored' | 'packed' | 'weights'>,
  { device, engines, ...limits }: DeviceView,
): Omit<TrainingQuestion, 'adapter'> {
  const { config, contexts, stored, packed, weights } = facts;
  return {
    config,
    type: weights ?? packed ?? matrixTypeFor(stored, device),
    keys: keysOn(device, facts),
    contexts: contexts ?? { maxContext: config.maxPositions, maxSlots: MAX_SLOTS },
    engines,
    limits: { ...limits, device },
  };
}

/** @throws MissingFile, CheckpointError, CheckpointFault */
export async function policyFacts(
  source: CheckpointSource,
  open: OpenStored,
): Promise<PolicyFacts> {
  const device = await chooseDevice('wasm', undefined, navigator.hardwareConcurrency);
  const release = await source.hold();
  try {
    const checkpoint = await source.get(() => undefined, new AbortController().signal);
    return {
      id: checkpoint.id,
      ...(await factsOf(checkpoint, open)),
      ...('stored' in checkpoint && {
        repository: checkpoint.repository,
        weights: checkpoint.weights,
        contexts: {
          keys: checkpoint.keys,
          maxContext: checkpoint.maxContext,
          maxSlots: checkpoint.maxSlots,
        },
      }),
      engines: device.engines,
      open: async () => {
        const held = await source.hold();
        try {
          return { files: await filesOf(checkpoint, open), release: held };
        } catch (error) {
          held();
          throw error;
        }
      },
    };
  } finally {
    release();
  }
}

/**
 * Facts of a policy that does not change while the page is open, loaded once; where loading failed, the next call tries
 * again.
 */
export function cachedFacts(load: () => Promise<PolicyFacts>): () => Promise<PolicyFacts> {
  let kept: Promise<PolicyFacts> | null = null;
  return () => {
    if (kept) return kept;
    kept = load();
    kept.catch(() => (kept = null));
    return kept;
  };
}
