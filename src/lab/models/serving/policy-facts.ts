import type { CheckpointFiles } from '../../../policy/checkpoint/checkpoint-files.ts';
import type { PolicyConfig } from '../../../policy/checkpoint/config.ts';
import { factsOf, filesOf, type CheckpointSource, type OpenStored } from './checkpoint-source.ts';
import { chooseDevice } from './device.ts';

/** What training knows of the policy without starting it. */
export interface PolicyFacts {
  id: string;
  /** Beginning of the SHA-256 of the weights, as a loaded policy names its revision. */
  revision: string;
  config: PolicyConfig;
  /** Workers that will share the training. */
  engines: number;
  /** Its files, which stay on the device until they are released. */
  open(): Promise<{ files: CheckpointFiles; release: () => void }>;
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
