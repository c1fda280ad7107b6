import { z } from 'zod';
import { isGgufName } from '../../../../formats/gguf.ts';
import { CheckpointFault } from './fault.ts';

/** Which files of a folder make a checkpoint. */

export const CONFIG = 'config.json';
export const INDEX = 'model.safetensors.index.json';
export const SINGLE = 'model.safetensors';

const NEEDED = [CONFIG, 'tokenizer.json'] as const;
const OPTIONAL = [
  'tokenizer_config.json',
  'generation_config.json',
  'chat_template.jinja',
] as const;
export const SIDE_FILES: readonly string[] = [...NEEDED, ...OPTIONAL];

/** Most bytes of a file that is read whole before the download: an index of 1,000 shards is 10 MB. */
export const MOST_JSON_BYTES = 50e6;

const SHARD = /^[A-Za-z0-9][\w.-]{0,180}\.safetensors$/;
const MOST_SHARDS = 2000;

export const isWeights = (name: string): boolean =>
  name.endsWith('.safetensors') || isGgufName(name);

const indexSchema = z.looseObject({ weight_map: z.record(z.string(), z.string()) });

/**
 * The shards that an index names, in order of their names.
 * @throws CheckpointFault of kind `bad-answer`
 */
export function shardsOf(index: Record<string, unknown>): string[] {
  const bad = (message: string) =>
    new CheckpointFault(
      'bad-answer',
      `${INDEX}: ${message}`,
      'Get the file again from its source.',
    );
  const parsed = indexSchema.safeParse(index);
  if (!parsed.success) throw bad('it has no weight_map of tensor names to file names.');
  const shards = [...new Set(Object.values(parsed.data.weight_map))].sort();
  if (shards.length === 0) throw bad('its weight_map is empty.');
  if (shards.length > MOST_SHARDS) throw bad(`it names ${shards.length} shards.`);
  const odd = shards.find((name) => !SHARD.test(name));
  if (odd !== undefined)
    throw bad(
      `"${odd.slice(0, 80)}" is not the plain name of a safetensors file in the same folder.`,
    );
  return shards;
}

/** Why there are no safetensors among these files, and what to do. */
function noWeights(where: string, names: readonly string[]): CheckpointFault {
  const has = (pattern: RegExp) => names.some((name) => pattern.test(name));
  if (has(/^adapter_model\.safetensors$/))
    return new CheckpointFault(
      'unsupported',
      `${where} is a PEFT adapter without its base model.`,
      'Add the base model; adapters are imported with training runs.',
    );
  if (has(/^pytorch_model.*\.bin$/))
    return new CheckpointFault(
      'unsupported',
      `${where} has pickled weights (pytorch_model.bin) only, which can run code and are not read.`,
      'Convert them with transformers: model.save_pretrained(folder, safe_serialization=True), then add the folder.',
    );
  return new CheckpointFault(
    'incomplete',
    `${where} has neither ${SINGLE} nor ${INDEX}.`,
    'Choose the folder or repository that holds the weights.',
  );
}

/**
 * The files to store of those that a folder has.
 * @param shards those of the index, where the folder has one and no single file
 * @throws CheckpointFault of kind `incomplete` or `unsupported`
 */
export function chooseFiles(
  where: string,
  names: readonly string[],
  shards: readonly string[] | null,
): string[] {
  const there = new Set(names);
  for (const name of NEEDED)
    if (!there.has(name))
      throw new CheckpointFault(
        'incomplete',
        `${where} has no ${name}.`,
        name === CONFIG
          ? 'Choose the folder with config.json of the model.'
          : 'Make it with transformers: AutoTokenizer.from_pretrained(folder).save_pretrained(folder), then add the folder.',
      );
  const side = SIDE_FILES.filter((name) => there.has(name));
  // As transformers does: the single file where there is one, else the shards.
  if (there.has(SINGLE)) return [...side, SINGLE];
  if (!there.has(INDEX) || !shards) throw noWeights(where, names);
  const lost = shards.filter((name) => !there.has(name));
  if (lost.length > 0)
    throw new CheckpointFault(
      'incomplete',
      `${where} lacks ${lost.length} of the ${shards.length} shards that its index names, such as ${lost[0]!}.`,
      'Download the missing ones, or use another revision.',
    );
  return [...side, INDEX, ...shards];
}
