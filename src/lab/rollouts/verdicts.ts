import { agreementOf, judgeItemOf, withVerdict } from '../../evaluate/judge/agreement.ts';
import { PROMPT_VERSION } from '../../evaluate/judge/prompt.ts';
import { whyNotJudged, type JudgeCost } from '../../evaluate/judge/report.ts';
import type { JudgeItem, JudgeOutcome } from '../../evaluate/judge/run.ts';
import { lintRollout } from '../../evaluate/rollouts/lint/index.ts';
import type { LintCode } from '../../evaluate/rollouts/lint/finding.ts';
import { factsOfRow, rowOf } from '../../evaluate/rollouts/row.ts';
import { statisticsOf } from '../../evaluate/rollouts/statistics.ts';
import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import {
  MOST_NOT_JUDGED,
  type FileRecord,
  type Judging,
  type RolloutPlace,
  type StoredRow,
} from '../contract/records/rollout-files.ts';
import type { JudgeStatus } from '../contract/rollouts.ts';
import { gzip } from '../storage/blobs.ts';
import type { RolloutsDatabase } from './database.ts';

/** A judge's verdicts into a stored file: rollouts, rows and counts, as if the file had come with them. */

/** What of a rollout's row hangs on its verdict. */
interface Judged {
  rollout: ImportedRollout;
  stored: StoredRow;
  /** Labels that came and went. */
  gained: LintCode[];
  lost: LintCode[];
}

const codesOf = (rollout: ImportedRollout): Set<LintCode> =>
  new Set(lintRollout(rollout).map(({ code }) => code));

function judged(before: ImportedRollout, stored: StoredRow, outcome: JudgeOutcome): Judged {
  const rollout = withVerdict(before, outcome);
  const [old, now] = [codesOf(before), codesOf(rollout)];
  // Checks over the whole file, which no verdict changes, keep their labels.
  const kept = stored.row.lint.filter((code) => !old.has(code));
  const lint = [...new Set([...now, ...kept])];
  const had = new Set(stored.row.lint);
  return {
    rollout,
    stored: { ...stored, row: { ...rowOf(rollout), lint, tags: stored.row.tags } },
    gained: lint.filter((code) => !had.has(code)),
    lost: [...had].filter((code) => !lint.includes(code)),
  };
}

function recount(lint: FileRecord['lint'], changes: readonly Judged[]): FileRecord['lint'] {
  const counts = { ...lint };
  for (const { gained, lost } of changes) {
    for (const code of gained) counts[code] = (counts[code] ?? 0) + 1;
    for (const code of lost) counts[code] = Math.max(0, (counts[code] ?? 0) - 1);
  }
  return counts;
}

const NOTHING: JudgeCost = {
  calls: 0,
  uncounted: 0,
  promptTokens: 0,
  completionTokens: 0,
  seconds: 0,
  dollars: null,
};

function judgingOf(
  before: Judging | undefined,
  by: string,
  outcomes: readonly JudgeOutcome[],
  at: string,
): Judging {
  const same = before?.by === by ? before : null;
  const cost = { ...(same?.cost ?? NOTHING) };
  const reasons = new Map((same?.notJudged ?? []).map((one) => [one.rollout, one.reason]));
  for (const outcome of outcomes) {
    const spent = outcome.status === 'judged' ? outcome.judgement.spent : undefined;
    cost.calls += spent?.calls ?? 0;
    cost.uncounted += spent?.uncounted ?? 0;
    cost.promptTokens += spent?.prompt ?? 0;
    cost.completionTokens += spent?.completion ?? 0;
    cost.seconds += spent?.seconds ?? 0;
    const why = whyNotJudged(outcome);
    if (why === null) reasons.delete(outcome.id);
    else if (reasons.size < MOST_NOT_JUDGED || reasons.has(outcome.id))
      reasons.set(outcome.id, why);
  }
  const notJudged = [...reasons].map(([rollout, reason]) => ({ rollout, reason }));
  return { by, promptVersion: PROMPT_VERSION, at, cost, notJudged };
}

/** What storing verdicts needs of the store that holds the file. */
interface Stored {
  database: RolloutsDatabase;
  file: FileRecord;
  /** All rows of the file. */
  rows: readonly StoredRow[];
  rollout: (place: RolloutPlace) => Promise<ImportedRollout>;
}

/** Writes verdicts into a file, part by part, each whole; the file's counts follow. */
export async function writeVerdicts(
  { database, file, rows, rollout }: Stored,
  by: string,
  outcomes: readonly JudgeOutcome[],
  at: string,
): Promise<void> {
  const byId = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
  const chunks = new Set(rows.filter(({ row }) => byId.has(row.id)).map(({ chunk }) => chunk));
  const changes: Judged[] = [];
  for (const chunk of chunks) {
    const lines: string[] = [];
    const written: StoredRow[] = [];
    for (const stored of rows.filter((one) => one.chunk === chunk)) {
      const before = await rollout(stored);
      const outcome = byId.get(stored.row.id);
      const change = outcome ? judged(before, stored, outcome) : null;
      if (change) changes.push(change);
      lines.push(JSON.stringify(change?.rollout ?? before));
      written.push(change?.stored ?? stored);
    }
    const gz = await gzip(new TextEncoder().encode(lines.join('\n')));
    await database.transaction('rw', database.rows, database.bodies, async () => {
      await database.rows.put({ fileId: file.id, chunk, rows: written });
      await database.bodies.put({ fileId: file.id, chunk, gz });
    });
  }
  const fresh = new Map(changes.map(({ stored }) => [`${stored.chunk}/${stored.index}`, stored]));
  const all = rows.map((one) => fresh.get(`${one.chunk}/${one.index}`) ?? one);
  await database.files.update(file.id, {
    ...(file.status === 'ready' && {
      statistics: statisticsOf(all.map(({ row }) => factsOfRow(row))),
    }),
    lint: recount(file.lint, changes),
    judging: judgingOf(file.judging, by, outcomes, at),
  });
}

/** What has gold answers has an outcome. What is not scored is not judged. */
const isJudgeable = ({ outcome, notScored }: StoredRow['row']): boolean =>
  outcome !== null && notScored === undefined;

/** Where a file stands with judges. */
export function judgeStatusOf(file: FileRecord, rows: readonly StoredRow[]): JudgeStatus {
  const pairs = rows.flatMap(({ row: { numbers } }) =>
    numbers.judge === null || numbers.em == null
      ? []
      : [{ judge: numbers.judge === 1, em: numbers.em === 1 }],
  );
  const judgeable = rows.filter(({ row }) => isJudgeable(row));
  return {
    judgeable: judgeable.length,
    without: judgeable.filter(({ row }) => row.numbers.judge === null).length,
    agreement: agreementOf(pairs),
    judging: file.judging ?? null,
  };
}

/** What a judge is asked: answers with gold answers; `again`: those with a verdict too. */
export async function itemsToJudge(
  rows: readonly StoredRow[],
  rollout: (place: RolloutPlace) => Promise<ImportedRollout>,
  again: boolean,
): Promise<JudgeItem[]> {
  const items: JudgeItem[] = [];
  for (const stored of rows) {
    const { numbers } = stored.row;
    if (!isJudgeable(stored.row)) continue;
    if (numbers.judge !== null && !again) continue;
    items.push(judgeItemOf(await rollout(stored)));
  }
  return items;
}
