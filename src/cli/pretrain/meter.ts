import type { StepLog } from '../../pretrain/policy/run.ts';
import { lastOf } from '../../base/items.ts';

export const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

/** Seconds as h:mm:ss. */
function clock(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  return `${Math.floor(s / 3600)}:${String(Math.floor(s / 60) % 60).padStart(2, '0')}:${String(s % 60).padStart(2, '0')}`;
}

/** Means over the steps since the last progress line. */
export class Meter {
  #logs: StepLog[] = [];
  #since = performance.now();
  #tokens: number;

  constructor(tokens: number) {
    this.#tokens = tokens;
  }

  add(log: StepLog): void {
    this.#logs.push(log);
  }

  line(steps: number): { text: string; record: Record<string, unknown> } {
    const last = lastOf(this.#logs, 'log');
    const mean = (of: (log: StepLog) => number): number =>
      this.#logs.reduce((sum, log) => sum + of(log), 0) / this.#logs.length;
    const seconds = (performance.now() - this.#since) / 1000;
    const rate = (last.tokens - this.#tokens) / seconds;
    const eta = ((steps - last.step) * seconds) / this.#logs.length;
    const record = {
      type: 'train',
      step: last.step,
      tokens: last.tokens,
      tokensPerSecond: Math.round(rate),
      loss: mean((l) => l.loss),
      accuracy: mean((l) => l.accuracy),
      whole: mean((l) => l.whole),
      gradientNorm: mean((l) => l.gradientNorm),
      lr: last.lr,
      environmentWeight: last.environmentWeight,
    };
    const text =
      `step ${last.step}/${steps}  ${(last.tokens / 1e6).toFixed(2)} M tokens  ${Math.round(rate)} tok/s  ` +
      `loss ${record.loss.toFixed(4)}  tokens right ${percent(record.accuracy)}  ` +
      `whole ${percent(record.whole)}  lr ${last.lr.toExponential(2)}  ETA ${clock(eta)}`;
    this.#logs = [];
    this.#since = performance.now();
    this.#tokens = last.tokens;
    return { text, record };
  }
}
