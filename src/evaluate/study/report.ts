import { captionOf, type CaptionFacts } from './caption.ts';
import { curvesSvg } from './chart.ts';
import type { CurvePoint } from './course/point.ts';
import { curvesCsv, type Curve } from './curves.ts';
import type { StudyPlan } from './plan.ts';
import type { ResolvedArm } from './file/arms.ts';
import type { Study } from './file/read.ts';
import type { Row } from './rows.ts';
import type { ArmScores, ScoredCell } from './scores.ts';
import { studyTables } from './table.ts';
import type { Verdict } from './signatures/verdict.ts';
import { csvOf, inOrder, latexOf, markdownOf } from './text.ts';
import { courseVerdicts } from './course-verdicts.ts';
import { verdictsOf } from './verdicts.ts';

/** The result of a study, from what of it is there. */

export interface StudyResults {
  /** Rows of a score; null where it is not made yet. */
  rows(key: string): readonly Row[] | null;
  /** Curve of a training; null where it is not made yet. */
  curve(key: string): readonly CurvePoint[] | null;
}

const beforeOf = (settings: ResolvedArm['settings']): ArmScores['before'] => {
  if (settings?.start !== undefined) return 'before its start';
  return settings?.warmUp ? 'before its warm-up' : 'step 0';
};

function armScores(study: Study, { uses }: StudyPlan, results: StudyResults): ArmScores[] {
  const cells = uses.flatMap((use): (ScoredCell & { arm: string; at: 'start' | 'end' })[] => {
    const rows = results.rows(use.score);
    return rows ? [{ ...use, rows }] : [];
  });
  return study.arms.map(({ name, settings }) => {
    const own = cells.filter(({ arm }) => arm === name);
    return {
      name,
      trained: settings !== null,
      before: beforeOf(settings),
      end: own.filter(({ at }) => at === 'end'),
      start: own.filter(({ at }) => at === 'start'),
    };
  });
}

export interface StudyReport {
  /** Files of the study's folder by name: tables in three formats, and curves where an arm is trained. */
  files: Record<string, string>;
  /** Whether the claims of the file hold. */
  verdicts: Verdict[];
}

/** @throws Error where a claim compares a question with itself */
export function reportOf(
  study: Study,
  plan: StudyPlan,
  results: StudyResults,
  facts: CaptionFacts,
): StudyReport {
  const { file } = study;
  const numbers = inOrder(file.numbers);
  const arms = armScores(study, plan, results);
  const shared = {
    worlds: study.worlds.map(({ name }) => name),
    trainWorlds: Math.max(1, study.trainWorlds.length),
    interval: file.interval,
  };
  const curves = plan.runs.flatMap(({ training, ...run }): Curve[] => {
    const points = results.curve(training);
    return points ? [{ ...run, points }] : [];
  });
  const verdicts = [
    ...verdictsOf(file.signatures, arms, { ...shared, study: file.name }),
    ...courseVerdicts(file.course, curves, {
      study: file.name,
      worlds: study.trainWorlds.map(({ name }) => name),
      interval: file.interval,
    }),
  ];
  const text = {
    name: file.name,
    question: file.question,
    caption: captionOf(study, facts),
    numbers,
    reference: file.reference,
    tables: studyTables(arms, { ...shared, reference: file.reference, numbers }),
    verdicts,
  };
  return {
    files: {
      'table.md': markdownOf(text),
      'table.csv': csvOf(text),
      'table.tex': latexOf(text),
      ...(curves.length > 0 && {
        'curves.csv': curvesCsv(curves),
        'curves.svg': curvesSvg(file.name, curves),
      }),
    },
    verdicts,
  };
}
