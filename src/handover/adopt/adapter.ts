import { messageOf } from '../../base/errors.ts';
import { sha256 } from '../../base/hash.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import {
  ADAPTER_CONFIG,
  ADAPTER_WEIGHTS,
  readPeft,
  type Adapter,
  type AdapterFile,
} from '../../policy/lora/peft.ts';
import { folderOf, inFolder, type AdoptFolder } from './folder.ts';
import { stepOf, type AdoptedExperiment } from './experiment.ts';
import { isObject } from '../../base/objects.ts';

/** The trained adapter among the result: PEFT folders of TRL, of verl, or put there by hand. */

export interface AdoptedAdapter extends Adapter {
  /** Folder it lay in. */
  folder: string;
  /** Forage's step after which it was saved; null where unknown. */
  step: number | null;
}

/** Where a checkpoint lies, and how its number counts. */
const CHECKPOINTS = [
  [/(?:^|\/)checkpoint-(\d+)(?:\/|$)/, 'updates'],
  [/(?:^|\/)global_step_(\d+)(?:\/|$)/, 'steps'],
] as const;

async function statedStep(
  folder: AdoptFolder,
  at: string,
  experiment: AdoptedExperiment,
): Promise<number | null> {
  for (const [pattern, by] of CHECKPOINTS) {
    const number = pattern.exec(at)?.[1];
    if (number !== undefined) return stepOf(experiment, Number(number), by);
  }
  // TRL's last adapter is next to, or below, the state of its trainer.
  for (const near of [at, folderOf(at)]) {
    const text = await folder.text(inFolder(near, 'trainer_state.json'));
    const state = text === null ? null : jsonOrNull(text);
    const global = isObject(state) ? state['global_step'] : null;
    if (typeof global === 'number') return stepOf(experiment, global, 'updates');
  }
  return null;
}

const jsonOrNull = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

interface Candidate {
  folder: string;
  step: number | null;
}

/** Folders of adapters, the latest first; one without a number is what a trainer saves at its end. */
async function candidates(
  folder: AdoptFolder,
  experiment: AdoptedExperiment,
): Promise<Candidate[]> {
  const found = new Set(
    folder
      .matching(/(?:^|\/)adapter_(?:config\.json|model\.(?:safetensors|bin))$/)
      .map(({ path }) => folderOf(path)),
  );
  const all: Candidate[] = [];
  for (const at of found) {
    const weights = await folder.bytes(inFolder(at, ADAPTER_WEIGHTS));
    const began = experiment.adapter;
    if (began && weights && (await sha256(weights)) === began.digest) continue;
    all.push({ folder: at, step: await statedStep(folder, at, experiment) });
  }
  const last = ({ step }: Candidate): number => step ?? Infinity;
  return all.toSorted((a, b) => last(b) - last(a) || a.folder.length - b.folder.length);
}

/** Beside the adapters of `lab train`: the SHA-256 of each file, by its name. */
const HASHES = 'sha256.json';

/** @throws Error that names a file which does not match the hash that was kept of it */
async function checkHashes(
  folder: AdoptFolder,
  at: string,
  files: readonly AdapterFile[],
  { adapter: began }: AdoptedExperiment,
): Promise<void> {
  const text = await folder.text(inFolder(at, HASHES));
  const kept = text === null ? null : jsonOrNull(text);
  if (text !== null && !isObject(kept)) throw new Error(`${HASHES} is damaged`);
  for (const { name, bytes } of files) {
    const exported = began?.folder === at && name === ADAPTER_WEIGHTS ? began.digest : null;
    const hash = exported ?? (isObject(kept) ? kept[name] : null) ?? null;
    if (hash !== null && hash !== (await sha256(bytes)))
      throw new Error(
        `${name} does not match its hash${exported === null ? '' : ' in experiment.json, which names it as the adapter that training started from'}`,
      );
  }
}

async function filesIn(folder: AdoptFolder, at: string): Promise<AdapterFile[]> {
  const names = [ADAPTER_CONFIG, ADAPTER_WEIGHTS, 'adapter_model.bin'];
  const read = await Promise.all(
    names.map(async (name) => ({ name, bytes: await folder.bytes(inFolder(at, name)) })),
  );
  return read.flatMap(({ name, bytes }) => (bytes ? [{ name, bytes }] : []));
}

const where = (at: string): string => (at === '' ? 'the folder itself' : at);

/** Why there is no adapter, where a trainer left something else. */
function nothingFound(folder: AdoptFolder, experiment: AdoptedExperiment): string {
  const shards = folder.matching(/(global_step_\d+)\/actor\/.*\.pt$/)[0]?.groups[0];
  if (shards !== undefined)
    return (
      `No trained adapter: ${shards}/actor has verl’s own shards. Run fetch-adapter.sh there, or ` +
      '“python -m verl.model_merger merge --backend fsdp”, and import the folder again.'
    );
  return experiment.adapter
    ? `No trained adapter: ${experiment.adapter.folder} is the one that training started from.`
    : `No adapter: no folder has ${ADAPTER_CONFIG} and ${ADAPTER_WEIGHTS}.`;
}

/**
 * The latest adapter that can be read; what could not is said in `notes`.
 * @param config shape of the policy that it was trained on
 */
export async function findAdapter(
  folder: AdoptFolder,
  experiment: AdoptedExperiment,
  config: PolicyConfig,
  notes: string[],
): Promise<AdoptedAdapter | null> {
  const found = await candidates(folder, experiment);
  if (found.length === 0) notes.push(nothingFound(folder, experiment));
  for (const { folder: at, step } of found) {
    const files = await filesIn(folder, at);
    try {
      await checkHashes(folder, at, files, experiment);
      const adapter = readPeft(config, files);
      return { ...adapter, folder: at, step };
    } catch (error) {
      notes.push(`The adapter in ${where(at)} cannot be used: ${messageOf(error)}.`);
    }
  }
  return null;
}
