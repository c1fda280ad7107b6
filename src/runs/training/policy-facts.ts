import { parsePolicyConfig, type PolicyConfig } from '../../policy/config.ts';
import { loadWeights } from '../../policy/load.ts';
import type { PolicyWeights } from '../../policy/weights.ts';
import { fetchCheckpoint, jsonOf } from '../conductor/checkpoint.ts';
import { chooseDevice } from '../conductor/device.ts';
import { sha256 } from '../storage/blobs.ts';

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

/** @throws MissingFile, CheckpointError */
export async function policyFacts(base: string): Promise<PolicyFacts> {
  const { id, files } = await fetchCheckpoint(base, () => undefined, new AbortController().signal);
  const model = files['model.safetensors']!;
  const device = await chooseDevice('wasm', undefined, navigator.hardwareConcurrency);
  return {
    id,
    revision: (await sha256(model)).slice(0, 12),
    config: parsePolicyConfig(jsonOf(files, 'config.json')),
    engines: device.engines,
    weights: () => loadWeights((name) => Promise.resolve(files[name]!)),
  };
}
