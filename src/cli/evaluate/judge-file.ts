import { judgeItemOf, withVerdict } from '../../evaluate/judge/agreement.ts';
import type { JudgePrice } from '../../evaluate/judge/report.ts';
import type { JudgeOutcome } from '../../evaluate/judge/run.ts';
import { importRun } from '../../formats/rollouts/run.ts';
import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import type { Rollout } from '../../records/rollout.ts';
import { openOutput, writeAll } from './output.ts';
import { print, say } from '../shared/command.ts';
import { UsageError, type OptionValues } from '../shared/options.ts';
import { openRolloutRun } from '../shared/rollout-paths.ts';
import { judgeLines } from './judge-lines.ts';
import { askingOf, openJudgeModel } from './judge-options.ts';
import { runJudge } from './judge-run.ts';

/** Where the verdicts of a call are kept; null: nowhere. */
export function judgementsFile(values: OptionValues): string | null {
  const [given, out] = [values['judgements'], values['out']];
  if (given !== undefined) return String(given);
  return out === undefined ? null : `${String(out)}.judgements.jsonl`;
}

/** The rollouts with what was said of them. */
export function withVerdicts<R extends Rollout | ImportedRollout>(
  rollouts: readonly R[],
  outcomes: readonly JudgeOutcome[],
): R[] {
  const byId = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
  return rollouts.map((rollout) => {
    const outcome = byId.get(rollout.id);
    return outcome ? withVerdict(rollout, outcome) : rollout;
  });
}

async function readRollouts(path: string): Promise<ImportedRollout[]> {
  const { files, name } = await openRolloutRun([path]);
  const rollouts: ImportedRollout[] = [];
  let faults = 0;
  for await (const item of importRun(files, name)) {
    if (item.kind === 'rollout') rollouts.push(item.rollout);
    else faults += 1;
  }
  if (faults > 0) say(`${path}: ${faults} lines could not be read and are left out.`);
  return rollouts;
}

/** `lab evaluate --rollouts FILE --judge …`: no policy is loaded. @throws UsageError */
export async function judgeFile(
  path: string,
  values: OptionValues,
  price: JudgePrice | null,
): Promise<void> {
  const rollouts = await readRollouts(path);
  const items = rollouts.map(judgeItemOf);
  if (items.every(({ golds }) => golds.length === 0))
    throw new UsageError(`${path} has no gold answers, which a judge needs.`);
  const opened = await openJudgeModel(values);
  if (!opened) throw new UsageError('--rollouts needs a judge: --judge DIR, or --judge URL.');
  try {
    const output = openOutput(values['out'] as string | undefined);
    const { report, outcomes } = await runJudge(items, {
      opened,
      asking: askingOf(values),
      price,
      file: judgementsFile(values),
    });
    writeAll(output, withVerdicts(rollouts, outcomes));
    print(values['json'] ? JSON.stringify({ judge: report }) : judgeLines(report).join('\n'));
  } finally {
    opened.close();
  }
}
