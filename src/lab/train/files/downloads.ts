import type { Download, DownloadKind } from '../../contract/training.ts';
import type { TrainStep } from '../../../records/training.ts';
import { isUntrained, type TrainState } from '../../../learn/rl/state.ts';
import { mergedFiles } from '../../../policy/open/merged-files.ts';
import { writePeft } from '../../../policy/lora/peft.ts';
import { SIDE_FILES } from '../../models/checkpoints/plan/file-names.ts';
import type { RunRecord } from '../../contract/records/runs.ts';
import { metricsCsv } from './metrics-csv.ts';
import type { PolicyFacts } from '../../models/serving/policy-facts.ts';
import { tarOf } from './tar.ts';

/** Files that a run gives away. */

export interface DownloadParts {
  run: RunRecord;
  state: TrainState | null;
  policy: PolicyFacts;
  steps(): Promise<TrainStep[]>;
}

const BINARY = 'application/octet-stream';

/** @throws Error where the run has no snapshot, or is of another policy than the one that is loaded */
export async function filesOf(kind: DownloadKind, parts: DownloadParts): Promise<Download[]> {
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
  const { adapter } = run.settings;
  if (kind === 'peft')
    return writePeft(policy.config, adapter, state.adapter, policy.id).map(({ name, bytes }) => ({
      name,
      blob: new Blob([new Uint8Array(bytes)], { type: BINARY }),
    }));
  const { files, release } = await policy.open();
  try {
    const folded = { spec: adapter, flat: state.adapter };
    const folder = `${run.id}-merged`;
    const merged = await mergedFiles(files, SIDE_FILES, folded);
    return [{ name: `${folder}.tar`, blob: await tarOf(folder, merged, Date.now() / 1000) }];
  } finally {
    release();
  }
}
