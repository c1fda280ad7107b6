import type { RecordedRollout, RecordedStep, Recording } from './recording.ts';

/** The recording as beats: what is shown, with one caption each, at reading speed. */

type Phase = 'before' | 'train' | 'after';

/** Kinds of steps within a round, in their order. */
const PARTS = ['think', 'search', 'read'] as const;
export type Part = (typeof PARTS)[number];

/** How far a tree has grown: this part of this round, from 0; `whole`: with all answers. */
export type Grown = { round: number; part: Part } | 'whole' | 'root';

export interface Beat {
  phase: Phase;
  grown: Grown;
  /** Points of the curve that are drawn; at least the first. */
  points: number;
  /** What the caption is about. */
  sign: RecordedStep['kind'] | 'local' | 'web' | 'train' | 'right' | 'wrong' | null;
  caption: string;
  /** How long it is shown, in milliseconds. */
  ms: number;
}

/** A quick reader takes this long per word. */
const WORD_MS = 190;
const SHORTEST_MS = 1500;
const LONGEST_MS = 4200;
const POINT_MS = 900;

const readingTime = (text: string): number =>
  Math.min(LONGEST_MS, Math.max(SHORTEST_MS, text.split(' ').length * WORD_MS));

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Minutes and seconds. */
export const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, '0')}`;

export const isRight = (rollout: RecordedRollout): boolean => {
  const last = rollout.at(-1);
  return last?.kind === 'answer' && last.right;
};

export const countRight = (rollouts: readonly RecordedRollout[]): number =>
  rollouts.filter((rollout) => isRight(rollout)).length;

const searchesOf = (rollout: RecordedRollout): number =>
  rollout.filter(({ kind }) => kind === 'search').length;

/** The rollout that the captions tell: of those that end as most do, the one with the most searches. */
function toldOf(rollouts: readonly RecordedRollout[]): RecordedRollout {
  const right = countRight(rollouts) * 2 >= rollouts.length;
  const typical = rollouts.filter((rollout) => isRight(rollout) === right);
  return typical.toSorted((a, b) => searchesOf(b) - searchesOf(a))[0] ?? [];
}

const SOURCES = { local: 'the local corpus', web: 'the web' } as const;

function captionOf(step: RecordedStep, searched: number, gold: string): string {
  switch (step.kind) {
    case 'think':
      return `It thinks: “${step.text}”`;
    case 'search':
      return `It searches ${SOURCES[step.source]}: “${step.query}”`;
    case 'read':
      return step.supporting > 0
        ? `It reads ${step.titles.join(', ')}: a passage that it needs.`
        : `It reads ${step.titles.join(', ')}.`;
    case 'answer': {
      const how = searched === 0 ? ' without searching' : '';
      const end = step.right ? 'right.' : `wrong: it is “${gold}”.`;
      return `It answers “${step.text}”${how}, ${end}`;
    }
  }
}

const signOf = (step: RecordedStep): Beat['sign'] =>
  step.kind === 'search'
    ? step.source
    : step.kind === 'answer'
      ? step.right
        ? 'right'
        : 'wrong'
      : step.kind;

/** A beat per step of the rollout that the captions tell; the others grow beside it. */
function growing(
  phase: 'before' | 'after',
  rollouts: readonly RecordedRollout[],
  { points, gold }: { points: number; gold: string },
): Beat[] {
  const told = toldOf(rollouts);
  let round = 0;
  return told.map((step): Beat => {
    const caption = captionOf(step, round, gold);
    const grown: Grown = step.kind === 'answer' ? 'whole' : { round, part: step.kind };
    if (step.kind === 'read') round++;
    return { phase, grown, points, sign: signOf(step), caption, ms: readingTime(caption) };
  });
}

const note = (at: Pick<Beat, 'phase' | 'grown' | 'points'>, caption: string): Beat => ({
  ...at,
  sign: null,
  caption,
  ms: readingTime(caption),
});

/** All beats, in their order; the last one stays. */
export function storyOf({ before, after, run, question }: Recording): Beat[] {
  const { points } = run;
  const last = points.at(-1);
  const size = before.length;
  const steps = last?.step ?? 0;
  const { gold } = question;
  const learning = points.slice(1).map(({ step, seconds, em }, i): Beat => ({
    phase: 'train',
    grown: 'whole',
    points: i + 2,
    sign: 'train',
    caption:
      `Reinforcement learning, step ${step} of ${steps}, ${clock(seconds)} min: ` +
      `${percent(em)} of ${run.heldOut} other questions right.`,
    ms: POINT_MS,
  }));
  return [
    note(
      { phase: 'before', grown: 'root', points: 1 },
      `Before training: ${size} tries at one question.`,
    ),
    ...growing('before', before, { points: 1, gold }),
    note(
      { phase: 'before', grown: 'whole', points: 1 },
      `${countRight(before)} of ${size} tries are right. Now it learns: what led to right answers becomes more likely.`,
    ),
    ...learning,
    note(
      { phase: 'after', grown: 'root', points: points.length },
      `After ${steps} steps: the same question, ${size} new tries.`,
    ),
    ...growing('after', after, { points: points.length, gold }),
    note(
      { phase: 'after', grown: 'whole', points: points.length },
      `${countRight(after)} of ${size} tries are right now, ${countRight(before)} were before. It learned to search from right and wrong answers only.`,
    ),
  ];
}

const order = ({ round, part }: { round: number; part: Part }): number =>
  round * PARTS.length + PARTS.indexOf(part);

/** Whether the tree has grown this far. */
export const hasGrown = (grown: Grown, to: { round: number; part: Part }): boolean =>
  grown === 'whole' || (grown !== 'root' && order(grown) >= order(to));
