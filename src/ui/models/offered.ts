import coldStartConfig from '../../../training/adapters/smollm2-cold-start/adapter_config.json';
import coldStartUrl from '../../../training/adapters/smollm2-cold-start/adapter_model.safetensors?url';
import coldStart from '../../../training/adapters/smollm2-cold-start/experiment.json';
import afterRlConfig from '../../../training/adapters/smollm2-rl/adapter_config.json';
import afterRlUrl from '../../../training/adapters/smollm2-rl/adapter_model.safetensors?url';
import afterRl from '../../../training/adapters/smollm2-rl/experiment.json';
import type { AdoptFile } from '../../handover/adopt/folder.ts';
import { EXPERIMENT } from '../../handover/adopt/folder.ts';
import type { CheckpointView } from '../../lab/contract/checkpoints.ts';
import type { RunRecord } from '../../lab/contract/records/runs.ts';
import { parsePolicyConfig, variantOf, type PolicyConfig } from '../../policy/checkpoint/config.ts';

/** Trained adapters that come with Forage, and the models that they fit. */

export interface OfferedAdapter {
  /** Name of the run that it is imported as. */
  name: string;
  /** How it was trained, a sentence each. */
  before: readonly string[];
  /** Address of its weights. */
  weightsUrl: string;
  /** Its folder, with weights that were fetched. */
  files(weights: Uint8Array<ArrayBuffer>): AdoptFile[];
  /** Name of the model that it was trained on. */
  model: string;
  shape: Partial<PolicyConfig> & { family: string };
}

const json = (value: object): Blob => new Blob([JSON.stringify(value)]);

const ofSmolLm2 = (
  experiment: typeof coldStart | typeof afterRl,
  adapterConfig: object,
  weightsUrl: string,
): OfferedAdapter => ({
  ...experiment.published,
  weightsUrl,
  files: (weights) => [
    { path: EXPERIMENT, blob: json(experiment) },
    { path: 'adapter_config.json', blob: json(adapterConfig) },
    { path: 'adapter_model.safetensors', blob: new Blob([weights]) },
  ],
  model: experiment.policy.id,
  shape: {
    family: 'llama',
    vocabSize: experiment.policy.vocabulary,
    hiddenSize: 576,
    layers: 30,
    heads: 9,
    kvHeads: 3,
    headDim: 64,
    intermediateSize: 1536,
    ropeTheta: 100_000,
    tieWordEmbeddings: true,
  },
});

const OFFERED: readonly OfferedAdapter[] = [
  ofSmolLm2(afterRl, afterRlConfig, afterRlUrl),
  ofSmolLm2(coldStart, coldStartConfig, coldStartUrl),
];

/** "SmolLM2-135M-Instruct" and "smollm2_135m_instruct" are one name. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The names that the user, a file, a folder or a repository gives the model. */
const namesOf = ({ name, source }: Pick<CheckpointView, 'name' | 'source'>): string[] => {
  switch (source.kind) {
    case 'hub':
      return [name, source.repository, source.file ?? ''];
    case 'url':
      return [name, source.url];
    case 'folder':
    case 'file':
      return [name, source.name];
  }
};

/** Base and instruct models have one shape: only their names differ. */
const hasName = (checkpoint: Pick<CheckpointView, 'name' | 'source'>, model: string): boolean =>
  namesOf(checkpoint).some((name) => plain(name).includes(plain(model)));

function hasShape(json: CheckpointView['config'], { family, ...shape }: OfferedAdapter['shape']) {
  try {
    const config = parsePolicyConfig(json);
    const sizes = Object.keys(shape) as (keyof PolicyConfig)[];
    return (
      variantOf(config).family === family &&
      sizes.every((size) => config[size] === (shape as Partial<PolicyConfig>)[size])
    );
  } catch {
    // The card says what is wrong with the model.
    return false;
  }
}

/** The adapters that were trained on this model, the one with the most training first; none for other models. */
export const offersFor = (
  checkpoint: Pick<CheckpointView, 'state' | 'name' | 'source' | 'config'>,
): readonly OfferedAdapter[] =>
  OFFERED.filter(
    ({ model, shape }) =>
      checkpoint.state === 'ready' &&
      hasName(checkpoint, model) &&
      hasShape(checkpoint.config, shape),
  );

/** The run that it was imported as for a model in this browser. */
export const importedRun = (
  runs: readonly RunRecord[],
  { before }: Pick<OfferedAdapter, 'before'>,
  checkpoint: string,
): RunRecord | undefined =>
  runs.find(
    (run) =>
      run.deletedAt === null &&
      run.setup?.policy.kind === 'checkpoint' &&
      run.setup.policy.id === checkpoint &&
      run.before?.join() === before.join(),
  );
