import { stieText } from '../../agent/stie-counts.ts';
import type { ColdStartPoint, HeldOutScore, MadeStep } from '../../records/training.ts';
import { searchesToCome } from '../../lab/train/pace/learning-to-search.ts';
import type { ExpectedPace } from '../../lab/train/pace/estimate.ts';
import { ColdStartPace } from '../../lab/train/pace/cold-start-pace.ts';
import { coldStartFigures } from '../../evaluate/cold-start-figures.ts';
import { paceOf, secondsLeft } from '../../lab/train/pace/step-pace.ts';
import { Activity } from '../../learn/run/activity.ts';
import { nothingLearned, skippedWords } from '../../learn/run/nothing-learned.ts';
import type { TrainLoopProgress } from '../../learn/rl/contracts.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { say, sayProgress } from '../shared/command.ts';

const duration = (seconds: number): string =>
  seconds < 90 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(0)} min`;

/** How often the line of the phase is drawn again. */
const TICK_MS = 1000;

/** The end of what was written, as far as a line has room. */
const oneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim().slice(-60);

function heldOutWords({ n, em, judge }: HeldOutScore): string {
  if (!judge) return `held out EM ${em.toFixed(3)}`;
  const right = judge.right === null ? 'no verdict' : judge.right.toFixed(3);
  return `held out EM ${em.toFixed(3)}, judge ${right} (${judge.judged} of ${n} judged)`;
}

/** Progress on standard error: a line per step, and on a terminal the phase under way. */
export class TrainMeter {
  readonly #steps: number;
  readonly #made: MadeStep[] = [];
  #at: TrainLoopProgress | null = null;
  #phaseAt = performance.now();
  readonly #startedAt = performance.now();
  readonly #coldStart = new ColdStartPace();

  constructor(
    private readonly settings: TrainSettings,
    /** What the engines do, which is shown while no rollout ends. */
    private readonly activity: Activity = new Activity(),
    /** What steps are expected to take, before one is measured. */
    private readonly expected: ExpectedPace | null = null,
  ) {
    this.#steps = settings.steps;
  }

  progress(progress: TrainLoopProgress): void {
    const { phase, step } = progress;
    if (phase !== this.#at?.phase || step !== this.#at.step) {
      this.#phaseAt = performance.now();
      this.activity.begin();
    }
    this.#at = progress;
    this.#coldStart.moved(progress);
    this.draw();
  }

  /** Draws the line of the phase again every second, until it is disposed of. */
  ticking(): Disposable {
    const timer = setInterval(() => this.draw(), TICK_MS);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  draw(): void {
    if (this.#at) sayProgress(this.#line(this.#at));
  }

  #line({ phase, step, steps, done, total }: TrainLoopProgress): string {
    const { doing, tokens, tokensPerSecond, writing, text } = this.activity.view();
    const seconds = (performance.now() - this.#phaseAt) / 1000;
    const left = this.#made.length === 0 ? this.#left(Math.max(0, step - 1)) : null;
    return [
      ...(phase === 'warm-up' ? [] : [`step ${step}/${steps}`]),
      `${phase === 'warm-up' ? 'cold start' : phase} ${done}/${total}`,
      duration(seconds),
      ...(doing !== null && tokens > 0
        ? [`${tokens} tokens, ${tokensPerSecond.toFixed(0)}/s`]
        : []),
      ...(left === null ? [] : [`≈ ${duration(left)} left`]),
      ...(writing > 0 ? [`… ${oneLine(text)}`] : []),
    ].join('  ');
  }

  /** Seconds to the end; null before anything is measured. */
  #left(done: number): number | null {
    const pace = paceOf(this.#made, searchesToCome(this.settings));
    if (pace) return secondsLeft(pace, this.settings, done);
    const coldStart = this.#coldStart.secondsLeft();
    if (!this.expected) return this.#steps === 0 ? coldStart : null;
    if (coldStart !== null && this.#coldStart.isUnderWay)
      return coldStart + secondsLeft(this.expected.pace, this.settings, done);
    const elapsed = (performance.now() - this.#startedAt) / 1000;
    const before = done === 0 ? Math.max(0, this.expected.before - elapsed) : 0;
    return before + secondsLeft(this.expected.pace, this.settings, done);
  }

  /** A line per evaluation of the cold start. */
  coldStart(point: ColdStartPoint): void {
    const left = this.#coldStart.secondsLeft();
    const still = left !== null && !point.reached && point.update < point.updates;
    say(
      [
        `cold start ${point.update}/${point.updates}`,
        ...coldStartFigures(point).map(({ name, value }) => `${name} ${value}`),
        ...(point.reached ? ['format rate reached'] : []),
        ...(still ? [`≈ ${duration(left)} left`] : []),
      ].join('  '),
    );
  }

  /**
   * That no step of the run had a gradient, why, and what to change.
   * @param steps of the whole run
   * @param given whether it started from an adapter
   */
  end(steps: readonly MadeStep[], given = false): void {
    const nothing = nothingLearned(steps, this.settings);
    if (!nothing) return;
    say(`${nothing.headline}. ${nothing.why}`);
    for (const line of nothing.advice) say(`  ${line}`);
    if (given) say('  The adapter is the one that it started from.');
    else if (!nothing.before) say('  The adapter is as it began, so none is written.');
  }

  step(record: MadeStep): void {
    this.#made.push(record);
    const left = this.#left(record.step) ?? 0;
    const heldOut = record.heldOut ? `  ${heldOutWords(record.heldOut)}` : '';
    if (record.heldOutAtStart) say(`step 0/${this.#steps}  ${heldOutWords(record.heldOutAtStart)}`);
    const sampled =
      record.rollouts === 0
        ? `no rollouts  loss ${record.loss.toFixed(3)}`
        : `reward ${record.reward.mean.toFixed(3)}  EM ${record.em.toFixed(3)}  searches ${record.searches.toFixed(2)}`;
    const gates = record.latent ? `a ${record.latent.gate.toFixed(4)}  ` : '';
    const updated = record.skipped
      ? `${skippedWords(record)}  `
      : `${gates}|g| ${record.gradientNorm.toFixed(3)}  gap ${record.samplerGap.max.toExponential(1)}  `;
    say(
      `step ${record.step}/${this.#steps}  ${sampled}  ${updated}` +
        `${record.seconds.total.toFixed(1)} s${heldOut}  ≈ ${duration(left)} left`,
    );
    if (record.unsummarized) {
      const { results, because } = record.unsummarized;
      say(
        `  ${results} of its results were not summarized, so their passages were read: ${because}`,
      );
    }
    if (record.stie) say(`  STIE ${stieText(record.stie)}`);
  }
}
