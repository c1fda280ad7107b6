import type { PolicyConfig } from '../../policy/config.ts';
import type { PolicyWeights } from '../../policy/weights.ts';
import {
  factsOf,
  weightsOf,
  type CheckpointSource,
  type OpenStored,
} from '../conductor/checkpoint-source.ts';
import { chooseDevice } from '../conductor/device.ts';

/** What training knows of the policy without starting it. */
export interface PolicyFacts {
  id: string;
  /** Beginning of the SHA-256 of the weights, as a loaded policy names its revision. */
  revision: string;
  config: PolicyConfig;
  /** Workers that will share the training. */
  engines: number;
  weights(): Promise<PolicyWeights>;
}

/** @throws MissingFile, CheckpointError, CheckpointFault */
export async function policyFacts(
  source: CheckpointSource,
  open: OpenStored,
): Promise<PolicyFacts> {
  const checkpoint = await source.get(() => undefined, new AbortController().signal);
  const device = await chooseDevice('wasm', undefined, navigator.hardwareConcurrency);
  return {
    id: checkpoint.id,
    ...(await factsOf(checkpoint, open)),
    engines: device.engines,
    weights: () => weightsOf(checkpoint, open),
  };
}
