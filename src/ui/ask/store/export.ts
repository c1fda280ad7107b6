import type { Rollout } from '../../../records/rollout.ts';
import { saveFile } from '../../kit/page/save-file.ts';
import { useAsk } from './ask-store.ts';

/** One complete `forage.rollout/1` record per line. */
export const toJsonLines = (rollouts: readonly Rollout[]): string =>
  rollouts.map((rollout) => `${JSON.stringify(rollout)}\n`).join('');

/** "kunlun-baize-test-2-seed-1.jsonl": a name that is unique within a folder of exports. */
const fileName = (rollouts: readonly Rollout[], seed: number): string => {
  const first = rollouts[0];
  return `${first?.recipe.id ?? 'rollouts'}-${first?.question.id ?? 'none'}-seed-${seed}.jsonl`.replaceAll(
    /[^\w.-]+/g,
    '-',
  );
};

/** Saves the rollouts on the screen as a file; no effect without rollouts. */
export const downloadRollouts = (): void => {
  const { table, request } = useAsk.getState();
  const rollouts = table.order.flatMap((id) => table.byId[id] ?? []);
  if (rollouts.length === 0) return;
  saveFile(
    fileName(rollouts, request?.settings.seed ?? 0),
    new Blob([toJsonLines(rollouts)], { type: 'application/x-ndjson' }),
  );
};
