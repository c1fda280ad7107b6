import { isObject } from '../../base/objects.ts';
import type { Sampling } from '../policy.ts';
import { parsed, parseJson } from './checkpoint-error.ts';
import type { CheckpointFiles } from './checkpoint-files.ts';
import { readOptionalFile } from './checkpoint.ts';

const FILE = 'generation_config.json';

const inRange = (value: unknown, least: number, most: number): number | undefined =>
  typeof value === 'number' && value >= least && value <= most ? value : undefined;

/**
 * What a checkpoint's authors sample with, as far as it is supported here: temperature, top-p and top-k. Values out of
 * range are left out; `do_sample: false` is greedy.
 * @param json parsed `generation_config.json`
 * @returns null where it names none of them
 */
export function samplingOf(json: unknown): Partial<Sampling> | null {
  if (!isObject(json)) return null;
  const greedy = json['do_sample'] === false;
  const temperature = greedy ? 0 : inRange(json['temperature'], 0, 4);
  const topP = greedy ? undefined : inRange(json['top_p'], 0, 1);
  const topK = greedy ? undefined : inRange(json['top_k'], 0, 2 ** 31);
  const sampling = {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && topP > 0 && { topP }),
    ...(topK !== undefined && Number.isInteger(topK) && { topK }),
  };
  return Object.keys(sampling).length === 0 ? null : sampling;
}

const text = ({ temperature, topP, topK }: Partial<Sampling>): string =>
  [
    ...(temperature === undefined ? [] : [`temperature ${temperature}`]),
    ...(topP === undefined ? [] : [`top-p ${topP}`]),
    ...(topK === undefined ? [] : [`top-k ${topK}`]),
  ].join(', ');

/** For the user. */
export const samplingNote = (sampling: Partial<Sampling>): string =>
  `Questions are asked with the model's own sampling (${text(sampling)}) unless you set another; training keeps the sampling of its settings.`;

/** @throws CheckpointError where the file is no JSON */
export async function loadSampling(files: CheckpointFiles): Promise<Partial<Sampling> | null> {
  const bytes = await readOptionalFile(files, FILE);
  return bytes ? samplingOf(parsed(FILE, () => parseJson(bytes))) : null;
}
