import type { Download, DownloadKind } from '../contract/training.ts';
import type { TrainStep } from '../../records/training.ts';
import { isUntrained, type TrainState } from '../../learn/rl/state.ts';
import { createYield } from '../../base/yielding.ts';
import { mergedFiles, type PiecedFile } from '../../policy/open/merged-files.ts';
import type { LoraValues } from '../../policy/policy.ts';
import { writePeft } from '../../policy/lora/peft.ts';
import { SIDE_FILES } from '../models/checkpoints/plan/file-names.ts';
import type { RunRecord } from '../contract/records/runs.ts';
import { csvText } from '../../base/table-text.ts';
import type { PolicyFacts } from '../models/serving/policy-facts.ts';
import { tarOf } from './tar.ts';

/** Files that a run gives away. */

export interface DownloadParts {
  run: RunRecord;
  state: TrainState | null;
  policy: PolicyFacts;
  steps(): Promise<TrainStep[]>;
}

/** How far a download is, and whether it is still wanted. */
export interface DownloadWatch {
  /** @param done bytes made, of `total` */
  onProgress: (done: number, total: number) => void;
  signal: AbortSignal;
}

const UNWATCHED: DownloadWatch = {
  onProgress: () => undefined,
  signal: new AbortController().signal,
};

const BINARY = 'application/octet-stream';

/** The files, whose pieces tell how far all of them are; they end with the signal's reason once it is aborted. */
function watched(
  files: readonly PiecedFile[],
  { onProgress, signal }: DownloadWatch,
): PiecedFile[] {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const pause = createYield();
  let done = 0;
  return files.map((file) => ({
    ...file,
    async *pieces() {
      for await (const piece of file.pieces()) {
        // A request to stop is a message, which is read between two pieces.
        await pause();
        signal.throwIfAborted();
        done += piece.length;
        onProgress(done, total);
        yield piece;
      }
    },
  }));
}

/** One file, of which the browser may put each piece on its disk. */
async function blobOf(file: PiecedFile): Promise<Blob> {
  const parts: Blob[] = [];
  for await (const piece of file.pieces()) parts.push(new Blob([piece]));
  return new Blob(parts, { type: BINARY });
}

const single = async (file: PiecedFile, watch: DownloadWatch): Promise<Download[]> =>
  Promise.all(
    watched([file], watch).map(async (one) => ({ name: one.name, blob: await blobOf(one) })),
  );

/** The run's checkpoint with its adapter merged into it. */
async function mergedDownload(
  kind: 'merged' | 'gguf-f16' | 'gguf-q8_0',
  { run, policy }: DownloadParts,
  adapter: LoraValues,
  watch: DownloadWatch,
): Promise<Download[]> {
  const { files, release } = await policy.open();
  try {
    if (kind !== 'merged') {
      const type = kind === 'gguf-f16' ? 'F16' : 'Q8_0';
      const name = `${run.id}-${type.toLowerCase()}.gguf`;
      const { mergedGguf } = await import('../../policy/gguf/write/model.ts');
      return await single(await mergedGguf(files, run.name, name, type, adapter), watch);
    }
    const folder = `${run.id}-merged`;
    const merged = watched(await mergedFiles(files, SIDE_FILES, adapter), watch);
    return [{ name: `${folder}.tar`, blob: await tarOf(folder, merged, Date.now() / 1000) }];
  } finally {
    release();
  }
}

/**
 * The adapter as the folder that PEFT loads, in one archive. Its base is the repository of the hub; of a model from
 * elsewhere, a folder that the user puts beside it.
 */
async function adapterZip(
  { id, name }: RunRecord,
  { config, id: policyId, repository }: PolicyFacts,
  { spec, flat }: LoraValues,
): Promise<Download> {
  const { zipSync } = await import('fflate');
  const base = repository ?? `./${policyId.split('/').at(-1)}`;
  const readme = [
    `# ${name}`,
    '',
    repository
      ? `A LoRA adapter of ${repository}, which is loaded from the Hugging Face hub.`
      : `A LoRA adapter of “${policyId}”. Put the model's folder (config.json, tokenizer, safetensors) at ${base}, seen from where Python starts.`,
    '',
    '    from peft import AutoPeftModelForCausalLM',
    `    model = AutoPeftModelForCausalLM.from_pretrained("${id}-adapter")`,
    '',
  ];
  const files = [
    ...writePeft(config, spec, flat, base),
    { name: 'README.md', bytes: new TextEncoder().encode(readme.join('\n')) },
  ];
  const entries = files.map((file) => [`${id}-adapter/${file.name}`, file.bytes] as const);
  // Weights do not get smaller.
  const zip = zipSync(Object.fromEntries(entries), { level: 0 });
  return { name: `${id}-adapter.zip`, blob: new Blob([zip], { type: 'application/zip' }) };
}

/** The metrics of a run as comma-separated values (RFC 4180): one line per step, one column per number. */

/** Nested records become columns named by their path: `reward.clauses.format`. */
function flatten(value: unknown, path: string, into: Map<string, string | number>): void {
  // Values per question are not numbers of a step.
  if (Array.isArray(value)) return;
  if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value))
      flatten(inner, path === '' ? key : `${path}.${key}`, into);
  } else if (typeof value === 'number' || typeof value === 'string') into.set(path, value);
}

/** Columns in the order in which steps first have them; a step without a number has an empty cell. */
export function metricsCsv(steps: readonly TrainStep[]): string {
  const rows = steps.map((step) => {
    const row = new Map<string, string | number>();
    flatten(step, '', row);
    return row;
  });
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  return csvText([columns, ...rows.map((row) => columns.map((column) => row.get(column) ?? null))]);
}

/** @throws Error where the run has no snapshot, or is of another policy than the one that is loaded */
export async function filesOf(
  kind: DownloadKind,
  parts: DownloadParts,
  watch: DownloadWatch = UNWATCHED,
): Promise<Download[]> {
  const { run, state, policy } = parts;
  if (kind === 'metrics') {
    const csv = metricsCsv(await parts.steps());
    return [{ name: `${run.id}.csv`, blob: new Blob([csv], { type: 'text/csv' }) }];
  }
  if (!state)
    throw new Error(`"${run.name}" has no snapshot yet; it is written after the first step.`);
  if (isUntrained(state))
    throw new Error(
      `"${run.name}" has learned nothing: no step had a gradient, so there is no adapter to take out.`,
    );
  if (run.policy.revision !== policy.revision)
    throw new Error(`"${run.name}" is an adapter of another policy than the one that is loaded.`);
  const adapter = { spec: run.settings.adapter, flat: state.adapter };
  if (kind === 'peft') return [await adapterZip(run, policy, adapter)];
  if (kind === 'gguf-adapter') {
    const name = `${run.id}-adapter.gguf`;
    const { adapterGguf } = await import('../../policy/gguf/write/adapter.ts');
    return single(adapterGguf(policy.config, run.name, name, adapter), watch);
  }
  return mergedDownload(kind, parts, adapter, watch);
}
