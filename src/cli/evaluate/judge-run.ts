import { existsSync, readFileSync } from 'node:fs';
import { judgeIdOf, judgementKey } from '../../evaluate/judge/judge.ts';
import {
  judgeReport,
  whyNotJudged,
  type JudgePrice,
  type JudgeReport,
} from '../../evaluate/judge/report.ts';
import { judgeAnswers, type JudgeItem, type JudgeOutcome } from '../../evaluate/judge/run.ts';
import { knownJudgements, storedJudgement } from '../../evaluate/judge/stored.ts';
import { itemAt } from '../../base/items.ts';
import { abortOnSignals } from '../parts/abort.ts';
import { endProgress, say, sayProgress } from '../shared/command.ts';
import { appendLines } from '../shared/append.ts';
import { pathFault } from '../shared/path-fault.ts';
import type { OpenTextModel } from '../parts/text-model.ts';
import { countingJudge, type Asking } from './judge-options.ts';

/** A judge over the answers of an evaluation, with progress; what it said is kept in a file. */

export interface JudgeCall {
  opened: OpenTextModel;
  asking: Asking;
  price: JudgePrice | null;
  /** File of judgements; null: none is kept. */
  file: string | null;
}

export interface Judged {
  report: JudgeReport;
  outcomes: JudgeOutcome[];
}

/** What a file of an earlier run knows. */
function readKnown(file: string | null): ReturnType<typeof knownJudgements>['known'] {
  if (file === null || !existsSync(file)) return new Map();
  const { known, damaged } = knownJudgements(readFileSync(file, 'utf8'));
  if (damaged > 0) say(`${file}: ${damaged} damaged lines; their answers are judged again.`);
  if (known.size > 0) say(`${file}: ${known.size} verdicts are reused.`);
  return known;
}

/** @throws UsageError */
function begin(file: string): void {
  try {
    appendLines(file, []);
  } catch (error) {
    throw pathFault(file, 'written', error);
  }
}

const timeLeft = (startedAt: number, done: number, total: number): string =>
  `≈ ${(((performance.now() - startedAt) / 1000 / done) * (total - done)).toFixed(0)} s left`;

/**
 * Judges answers. A failed one is marked with its reason; Ctrl-C ends the run with what there is, and
 * the same call continues from there.
 */
export async function runJudge(items: readonly JudgeItem[], call: JudgeCall): Promise<Judged> {
  const { opened, asking, price, file } = call;
  using stop = abortOnSignals('stopping; finished verdicts are kept …');
  const judge = countingJudge(opened, readKnown(file));
  if (file !== null) begin(file);
  const keys = await Promise.all(
    items.map((item) => judgementKey(judgeIdOf(opened.model.id), item)),
  );
  const keyById = new Map(items.map(({ id }, at) => [id, itemAt(keys, at, 'keys')]));
  const startedAt = performance.now();
  const run = await judgeAnswers(judge, items, {
    ...asking,
    signal: stop.signal,
    onOutcome: (outcome, { done, total, right, wrong }) => {
      const known = outcome.status === 'judged' && outcome.judgement.cached;
      if (file !== null && !known && outcome.status !== 'skipped') {
        const key = keyById.get(outcome.id) ?? '';
        const line = storedJudgement(
          key,
          judge.id,
          outcome,
          whyNotJudged(outcome),
          new Date().toISOString(),
        );
        appendLines(file, [JSON.stringify(line)]);
      }
      sayProgress(
        `judged ${done}/${total}  right ${right}  wrong ${wrong}  not judged ${done - right - wrong}  ${timeLeft(startedAt, done, total)}`,
      );
    },
  });
  endProgress();
  if (run.ended === 'gave-up')
    say(
      `The judge failed several times in a row and was not asked again. Fix it, then ${file === null ? 'run again with --judgements FILE, which keeps finished verdicts' : 'run the same command again: it continues from here'}.`,
    );
  if (run.ended === 'cancelled')
    say(
      file === null
        ? 'Cancelled; nothing was kept. --judgements FILE keeps finished verdicts.'
        : `Cancelled; ${file} has the finished verdicts, and the same command continues from there.`,
    );
  return { report: judgeReport(judge.id, items, run, price), outcomes: run.outcomes };
}
