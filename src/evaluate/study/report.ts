import type { NamedWorld } from './file/worlds.ts';
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

/** What was measured and how, in sentences that stand over the tables. */

interface CaptionFacts {
  /** What made the scores: policy, version. */
  policy: string;
  made: readonly string[];
  /** Scores that are there, and those that the study asks for. */
  finished: number;
  scores: number;
}

const listed = (items: readonly (string | number)[]): string => items.join(', ');
const named = (worlds: readonly NamedWorld[]): string => listed(worlds.map(({ name }) => name));
const many = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

function trainingSentence({ file, trainWorlds }: Study): string[] {
  const { train } = file;
  if (!train) return ['No arm is trained.'];
  return [
    `Trained for ${many(train.steps, 'step')} unless an arm says otherwise, on ${named(trainWorlds)}, ` +
      `${train.seeds.length === 1 ? 'seed' : 'seeds'} ${listed(train.seeds)}. ` +
      'Scored is the adapter of the last step, as it is stored (16-bit floats); nothing was chosen by these questions.',
  ];
}

function intervalSentence({ file }: Study): string {
  const { resamples, level } = file.interval;
  const seeds = file.train?.seeds.length ?? 0;
  const drawn =
    seeds > 1
      ? `seeds (${seeds}) and, within each world, questions, the same ones for every seed`
      : 'the questions within each world';
  const others = file.arms.length - 1;
  return (
    `In brackets: ${Number((100 * level).toFixed(4))} % percentile intervals of ${resamples} paired resamples over ${drawn}; ` +
    `the worlds are kept. Where all differences are equal, that of Bonett and Price for paired proportions if an answer is right or ` +
    `wrong, else none. ${many(others, 'arm')} by ${many(file.numbers.length, 'number')} are compared, uncorrected.`
  );
}

function captionOf(study: Study, facts: CaptionFacts): string[] {
  const { evaluate, webDelayMs, numbers } = study.file;
  const { questions, split, compositions, temperature, routing, seed, timed, reward } = evaluate;
  const { routerReward, group } = evaluate;
  const which = compositions === 'any' ? '' : `, ${compositions} compositions`;
  return [
    ...(facts.finished < facts.scores
      ? [`UNFINISHED: ${facts.finished} of ${facts.scores} scores are there.`]
      : []),
    `The first ${many(questions, 'question')} (split ${split}${which}) of each of ${many(study.worlds.length, 'world')}: ` +
      `${named(study.worlds)}. Temperature ${temperature}, routing ${routing}, sampling seed ${seed}; ` +
      `${webDelayMs} ms added to each call of the web. Means over seeds, worlds and questions, each world counting alike.`,
    ...(group === undefined
      ? []
      : [
          `Of each question ${group} rollouts, grown as the arm's training grows its groups (a tree has as many leaves as it branches, and those that ` +
            `continue a wrong one are extra); a number is the mean over them without the latter, or one of the group.`,
        ]),
    ...trainingSentence(study),
    intervalSentence(study),
    ...(timed > 0
      ? [
          `Latency and router reward are of the first ${many(timed, 'question')} of each world, asked again one at a time ` +
            `(router reward: ${routerReward.reward}, β1/β2 = ${routerReward.beta1}/${routerReward.beta2}).`,
        ]
      : []),
    ...(reward && numbers.includes('reward') ? [`Reward: ${reward.id}, for every arm.`] : []),
    `Policy ${facts.policy}; made by ${listed(facts.made)}.`,
  ];
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
