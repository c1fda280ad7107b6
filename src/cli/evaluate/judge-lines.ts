import type { JudgeReport, NotJudged } from '../../evaluate/judge/report.ts';

const percent = (share: number | null): string =>
  share === null ? '–' : `${(100 * share).toFixed(1)} %`;

const cell = (value: number | string): string => String(value).padStart(10);

/** Reasons with how often they occur, the most frequent first. */
function reasons(notJudged: readonly NotJudged[]): string[] {
  const counts = new Map<string, number>();
  for (const { reason } of notJudged) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, count]) => `  ${count} × ${reason}`);
}

function costLine({ cost }: JudgeReport): string {
  const { calls, uncounted, promptTokens, completionTokens, seconds, dollars } = cost;
  const tokens =
    calls > 0 && uncounted === calls
      ? 'the server does not report tokens'
      : `${promptTokens} tokens read and ${completionTokens} written${uncounted > 0 ? ` (${uncounted} calls not counted)` : ''}`;
  return `cost          ${calls} calls, ${tokens}, ${seconds.toFixed(1)} s of calls${dollars === null ? '' : `, $${dollars.toFixed(4)}`}`;
}

/** A judge's report as text. */
export function judgeLines(report: JudgeReport): string[] {
  const { judge, judged, answers, right, known, agreement, notJudged } = report;
  const { bothRight, bothWrong, judgeOnly, emOnly, agreement: share, kappa } = agreement;
  const again = known > 0 ? `; ${known} verdicts were known` : '';
  return [
    `judge         ${judge}`,
    `judged        ${judged} of ${answers}, right ${percent(right)}${again}`,
    `              ${cell('EM 1')}${cell('EM 0')}`,
    `judge right   ${cell(bothRight)}${cell(judgeOnly)}`,
    `judge wrong   ${cell(emOnly)}${cell(bothWrong)}`,
    `agreement     ${percent(share)}, Cohen's kappa ${kappa === null ? '– (no more than chance)' : kappa.toFixed(3)}`,
    ...(notJudged.length === 0
      ? []
      : [
          `not judged    ${notJudged.length}, left out of the numbers above`,
          ...reasons(notJudged),
        ]),
    costLine(report),
  ];
}
