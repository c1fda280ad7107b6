import type { NamedWorld } from './file/worlds.ts';
import type { CurvePoint } from './course-point.ts';
import { curvesCsv, type Curve, linesOf, type ArmLines, type Line } from './curves.ts';
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
import { escapeXml } from '../../base/xml-text.ts';

/** The curves as one SVG of two panels, with colours of its own for light and for dark. */

const LIGHT = [
  '#1f5fa8',
  '#c2571a',
  '#2f8560',
  '#8a4fa3',
  '#6b7682',
  '#b8860b',
  '#b13a5e',
  '#2b8ca3',
];
const DARK = [
  '#6aa9ea',
  '#e8905a',
  '#5fbd91',
  '#bd8ad6',
  '#9da7b2',
  '#d9b44a',
  '#e57f9d',
  '#5fbdd1',
];
/** More arms than colours differ in their dashes. */
const DASHES = ['', '7 3', '2 3'];

const [PANEL, HEIGHT, GAP, TOP, LEFT] = [380, 240, 70, 44, 56];
const ROW = 20;

const colours = (palette: readonly string[]): string =>
  palette.map((colour, i) => `.c${i}{stroke:${colour}}`).join('');

const STYLE = [
  'text{font:13px system-ui,sans-serif;fill:#1c2127}.small{font-size:12px;fill:#57606b}',
  '.ground{fill:#fff}.grid{stroke:#e3e6ea}.axis{stroke:#8b949e}',
  `path{fill:none;stroke-width:2.2;stroke-linejoin:round}.run{stroke-width:1;opacity:.4}${colours(LIGHT)}`,
  '@media (prefers-color-scheme:dark){text{fill:#e6e9ec}.small{fill:#a7b0ba}',
  `.ground{fill:#15181c}.grid{stroke:#2b3037}.axis{stroke:#6b7682}${colours(DARK)}}`,
].join('');

/** About four round values that span the data. */
function ticksOf(low: number, high: number): number[] {
  const span = high - low || Math.abs(high) || 1;
  const rough = span / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const count = Math.max(1, last - first);
  return Array.from({ length: count + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

interface Panel {
  title: string;
  lines: readonly ArmLines[];
  /** As its axis shows a value. */
  show: (value: number) => string;
}

const fixed = (value: number): string => value.toFixed(1);

function panelSvg({ title, lines, show }: Panel, x: number): string {
  const points = lines.flatMap(({ runs, mean }) => [...runs.flat(), ...mean]);
  if (points.length === 0)
    return `<text x="${x}" y="${TOP - 16}">${escapeXml(title)}</text><text class="small" x="${x}" y="${TOP + 20}">no values</text>`;
  const [steps, values] = [points.map(([step]) => step), points.map(([, value]) => value)];
  const yTicks = ticksOf(Math.min(...values), Math.max(...values));
  const xTicks = ticksOf(Math.min(0, ...steps), Math.max(...steps)).filter(Number.isInteger);
  const [low, high] = [Math.min(...yTicks), Math.max(...yTicks)];
  const last = Math.max(...xTicks, 1);
  const px = (step: number): number => x + (PANEL * step) / last;
  const py = (value: number): number => TOP + HEIGHT - (HEIGHT * (value - low)) / (high - low);
  const path = (line: Line, place: number, kind: string): string => {
    const dash = DASHES[Math.floor(place / LIGHT.length) % DASHES.length] ?? '';
    const d = line.map(
      ([step, value], i) => `${i === 0 ? 'M' : 'L'}${fixed(px(step))} ${fixed(py(value))}`,
    );
    const dashed = dash === '' ? '' : ` stroke-dasharray="${dash}"`;
    return `<path class="c${place % LIGHT.length}${kind}"${dashed} d="${d.join('')}"/>`;
  };
  return [
    `<text x="${x}" y="${TOP - 16}">${escapeXml(title)}</text>`,
    ...yTicks.flatMap((tick) => [
      `<line class="grid" x1="${x}" x2="${x + PANEL}" y1="${fixed(py(tick))}" y2="${fixed(py(tick))}"/>`,
      `<text class="small" text-anchor="end" x="${x - 8}" y="${fixed(py(tick) + 4)}">${show(tick)}</text>`,
    ]),
    `<line class="axis" x1="${x}" x2="${x + PANEL}" y1="${TOP + HEIGHT}" y2="${TOP + HEIGHT}"/>`,
    ...xTicks.map(
      (tick) =>
        `<text class="small" text-anchor="middle" x="${fixed(px(tick))}" y="${TOP + HEIGHT + 18}">${tick}</text>`,
    ),
    `<text class="small" text-anchor="end" x="${x + PANEL}" y="${TOP + HEIGHT + 36}">step</text>`,
    ...lines.flatMap(({ runs }, i) =>
      runs.length > 1 ? runs.map((run) => path(run, i, ' run')) : [],
    ),
    ...lines.map(({ mean }, i) => path(mean, i, '')),
  ].join('\n');
}

/**
 * Held-out exact match and training reward by step: a thick line for the mean over the runs of an arm,
 * a thin one for each run.
 */
function curvesSvg(name: string, curves: readonly Curve[]): string {
  const heldOut = linesOf(curves, (point) => point.heldOut?.em ?? null);
  const reward = linesOf(curves, (point) => point.reward);
  const width = LEFT + PANEL + GAP + PANEL + 24;
  const legend = TOP + HEIGHT + 62;
  const height = legend + ROW * heldOut.length + 4;
  const percent = (value: number): string => String(Number((100 * value).toFixed(6)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(`${name}: held-out exact match and reward by step`)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    panelSvg({ title: 'EM on held-out dev questions, %', lines: heldOut, show: percent }, LEFT),
    panelSvg(
      {
        title: 'mean reward of the step’s rollouts, each arm by its own',
        lines: reward,
        show: String,
      },
      LEFT + PANEL + GAP,
    ),
    ...heldOut.map(({ arm, runs }, i) => {
      const y = legend + ROW * i;
      const dash = DASHES[Math.floor(i / LIGHT.length) % DASHES.length] ?? '';
      const dashed = dash === '' ? '' : ` stroke-dasharray="${dash}"`;
      const count = runs.length === 1 ? '1 run' : `mean of ${runs.length} runs`;
      return (
        `<path class="c${i % LIGHT.length}"${dashed} d="M${LEFT} ${y}h28"/>` +
        `<text x="${LEFT + 38}" y="${y + 4}">${escapeXml(arm)} <tspan class="small">${count}</tspan></text>`
      );
    }),
    '</svg>\n',
  ].join('\n');
}

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
