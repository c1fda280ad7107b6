import type { Rollout } from '../../records/rollout.ts';
import { itemAt } from '../../base/items.ts';
import { deriveSeed, Random } from '../../base/random.ts';
import { sum } from '../../base/statistics.ts';
import type { WarmUpSettings } from '../../recipes/parts/training.ts';
import { startsOf, trainedCount } from '../mask.ts';
import type { TrainItem } from '../replicas/replica.ts';
import { Cycle } from '../cycle.ts';
import type { Demonstrations } from './contracts.ts';

/** Demonstrations of a cold start as the trainer takes them, and the order in which updates draw them. */

/** Held-out demonstrations are scored at every evaluation: more take longer than they tell. */
const MOST_HELD_OUT = 32;

/** Tokens of a demonstration: the mask comes from who wrote a segment. */
function itemOf(rollout: Rollout): TrainItem {
  const { segments } = rollout;
  const starts = startsOf(rollout);
  const ids = Int32Array.from(segments.flatMap((segment) => segment.ids));
  const mask = Uint8Array.from(
    segments.flatMap(({ ids: own, source, mask: trained }) =>
      own.map(() => (source === 'policy' && trained === 1 ? 1 : 0)),
    ),
  );
  const none = new Float32Array(trainedCount(mask));
  // Supervision is of the model itself, whatever the demonstrations were sampled at.
  const temperature = 1;
  return {
    ids,
    mask,
    temperature,
    oldLogprobs: none,
    refLogprobs: null,
    advantage: 1,
    weight: 0,
    ...(starts.length > 0 && { starts }),
  };
}

interface Usable {
  question: string;
  item: TrainItem;
}

/** Demonstrations from outside are checked only as far as supervision needs them. */
const questionOf = ({ question, id }: Pick<Partial<Rollout>, 'question' | 'id'>): string =>
  question?.id ?? id ?? '';

function usable(
  demonstrations: readonly Rollout[],
  { onlyCorrect, maxTokens }: { onlyCorrect: boolean; maxTokens: number },
): Usable[] {
  const right = demonstrations.filter(({ metrics }) => !onlyCorrect || metrics?.em === 1);
  const all = right.map((rollout) => ({ question: questionOf(rollout), item: itemOf(rollout) }));
  const fitting = all.filter(({ item }) => item.ids.length <= maxTokens);
  const found = fitting.filter(({ item }) => trainedCount(item.mask) > 0);
  if (found.length === 0)
    throw new Error(
      `cold start: none of ${demonstrations.length} demonstrations can be used: ` +
        `${demonstrations.length - right.length} are not known to be correct, ` +
        `${all.length - fitting.length} are longer than ${maxTokens} tokens, ` +
        `${fitting.length - found.length} have no tokens of a policy`,
    );
  return found;
}

/** Those that can be learned from. @throws Error where none can, with the reasons counted */
export const usableDemonstrations = (
  demonstrations: readonly Rollout[],
  limits: { onlyCorrect: boolean; maxTokens: number },
): TrainItem[] => usable(demonstrations, limits).map(({ item }) => item);

/** Mean loss over the tokens of a batch: every token has the same weight. */
export function weighed(items: readonly TrainItem[]): TrainItem[] {
  const tokens = sum(items.map(({ mask }) => trainedCount(mask)));
  return items.map((item) => ({ ...item, weight: 1 / tokens }));
}

/** Number of held-out demonstrations among `all`. */
export const heldOutCount = ({ heldOut = 0 }: Pick<WarmUpSettings, 'heldOut'>, all: number) =>
  Math.min(MOST_HELD_OUT, Math.round(heldOut * all));

/** Holds out whole questions, about `share` of the demonstrations; one question at least is left to train on. */
function split(
  all: readonly Usable[],
  share: number,
  seed: number,
): { trained: TrainItem[]; heldOut: TrainItem[] } {
  const wanted = heldOutCount({ heldOut: share }, all.length);
  const questions = [...new Set(all.map(({ question }) => question))];
  const held = new Set<string>();
  if (wanted > 0) {
    let count = 0;
    for (const question of new Random(seed).shuffle(questions).slice(1)) {
      if (count >= wanted) break;
      held.add(question);
      count += all.filter((one) => one.question === question).length;
    }
  }
  const of = (isHeld: boolean): TrainItem[] =>
    all.filter(({ question }) => held.has(question) === isHeld).map(({ item }) => item);
  return { trained: of(false), heldOut: of(true) };
}

/** What the updates of a cold start draw from. */
export interface WarmUpData {
  /** The i-th demonstration that is drawn, over all updates. */
  draw: (i: number) => TrainItem;
  /** Number of demonstrations that are trained on. */
  count: number;
  heldOut: readonly TrainItem[];
  /** "8 of 12 demonstrations" */
  counted: string;
}

/** @throws Error where nothing can be learned from */
export function warmUpData(
  demonstrations: readonly Rollout[] | Demonstrations,
  { onlyCorrect, heldOut: share = 0 }: Pick<WarmUpSettings, 'onlyCorrect' | 'heldOut'>,
  { seed, maxTokens }: { seed: number; maxTokens: number },
): WarmUpData {
  const limits = { onlyCorrect, maxTokens };
  const base = deriveSeed(seed, 'warm-up');
  const part = (of: readonly Rollout[], name: string): ReturnType<typeof split> =>
    split(usable(of, limits), share, deriveSeed(base, 'held-out', name));
  const besides = (heldOut: readonly TrainItem[]): string =>
    heldOut.length > 0 ? `, ${heldOut.length} held out` : '';
  if (!('gold' in demonstrations)) {
    const { trained, heldOut } = part(demonstrations, 'given');
    const order = new Cycle(trained, base);
    const of = trained.length < demonstrations.length ? ` of ${demonstrations.length}` : '';
    return {
      draw: (i) => order.at(i),
      count: trained.length,
      heldOut,
      counted: `${trained.length}${of} demonstrations${besides(heldOut)}`,
    };
  }
  const classes = (['gold', 'noisy'] as const).flatMap((name) => {
    const own = demonstrations[name];
    if (own.length === 0) return [];
    const { trained, heldOut } = part(own, name);
    return [{ name, trained, heldOut, order: new Cycle(trained, deriveSeed(base, name)) }];
  });
  const heldOut = classes.flatMap((one) => one.heldOut);
  return {
    draw: (i) =>
      itemAt(classes, i % classes.length, 'demonstrations').order.at(
        Math.floor(i / classes.length),
      ),
    count: sum(classes.map(({ trained }) => trained.length)),
    heldOut,
    counted:
      `${classes.map(({ name, trained }) => `${trained.length} ${name}`).join(' and ')} demonstrations, ` +
      `kept of ${demonstrations.tried} rollouts${besides(heldOut)}`,
  };
}

/** Evaluations of a cold start after the one before it. */
const EVALUATIONS = 4;

/** Updates of a cold start over N demonstrations, and between its evaluations. */
export function warmUpLength(
  { length, batch }: Pick<WarmUpSettings, 'length' | 'batch'>,
  demonstrations: number,
): { updates: number; every: number } {
  const updates =
    'updates' in length
      ? length.updates
      : Math.max(1, Math.ceil((length.epochs * demonstrations) / batch));
  return { updates, every: Math.ceil(updates / EVALUATIONS) };
}

/** Whether it is evaluated at all. */
export const evaluates = ({ heldOut = 0, questions = 0 }: WarmUpSettings): boolean =>
  heldOut > 0 || questions > 0;
