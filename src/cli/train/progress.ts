import { stieInWords } from '../../agent/stie/counts-in-words.ts';
import type { HeldOutScore, MadeStep } from '../../records/training.ts';
import { searchesToCome } from '../../lab/train/pace/learning-to-search.ts';
import { paceOf, secondsLeft } from '../../lab/train/pace/step-pace.ts';
import { nothingLearned, skippedWords } from '../../learn/run/nothing-learned.ts';
import type { TrainLoopProgress } from '../../learn/rl/contracts.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { say, sayProgress } from '../shared/command.ts';

const duration = (seconds: number): string =>
  seconds < 90 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(0)} min`;

function heldOutWords({ n, em, judge }: HeldOutScore): string {
  if (!judge) return `held out EM ${em.toFixed(3)}`;
  const right = judge.right === null ? 'no verdict' : judge.right.toFixed(3);
  return `held out EM ${em.toFixed(3)}, judge ${right} (${judge.judged} of ${n} judged)`;
}

/** Progress on standard error: a line a step, and on a terminal the phase under way. */
export class TrainMeter {
  readonly #steps: number;
  readonly #made: MadeStep[] = [];

  constructor(private readonly settings: TrainSettings) {
    this.#steps = settings.steps;
  }

  progress({ phase, step, steps, done, total }: TrainLoopProgress): void {
    sayProgress(`step ${step}/${steps}  ${phase} ${done}/${total}`);
  }

  /** That no step of the run had a gradient, why, and what to change. @param steps of the whole run */
  end(steps: readonly MadeStep[]): void {
    const nothing = nothingLearned(steps, this.settings);
    if (!nothing) return;
    say(`${nothing.headline}. ${nothing.why}`);
    for (const line of nothing.advice) say(`  ${line}`);
    if (!nothing.before) say('  The adapter is as it began, so none is written.');
  }

  step(record: MadeStep): void {
    this.#made.push(record);
    const pace = paceOf(this.#made, searchesToCome(this.settings));
    const left = pace ? secondsLeft(pace, this.settings, record.step) : 0;
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
    if (record.stie) say(`  STIE ${stieInWords(record.stie)}`);
  }
}
