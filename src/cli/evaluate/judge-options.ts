import { createJudge, type Judge, type Judgement } from '../../evaluate/judge/judge.ts';
import type { JudgePrice } from '../../evaluate/judge/report.ts';
import { UsageError, type OptionSpec, type OptionValues } from '../shared/options.ts';
import { KEY_VARIABLE } from '../shared/shared-options.ts';
import { openTextModel, type OpenTextModel } from '../parts/text-model.ts';

/** The judge of answers (LJ), as the command line names it. */

/** Options of a judge wherever one is asked. */
export const JUDGE_OPTIONS = {
  judge: {
    type: 'string',
    value: 'DIR|URL',
    help: `a model that judges answers in addition to EM: the folder of a chat model, or an OpenAI-compatible server (its key in ${KEY_VARIABLE})`,
  },
  'judge-model': {
    type: 'string',
    value: 'NAME',
    help: "which of the server's models, where it has several",
  },
  'judge-calls': {
    type: 'integer',
    value: 'N',
    help: 'answers judged in parallel (default: 4)',
    min: 1,
    max: 256,
  },
  'judge-timeout': {
    type: 'integer',
    value: 'S',
    help: 'seconds after which an answer counts as not judged (default: 120)',
    min: 1,
    max: 3600,
  },
} as const satisfies Record<string, OptionSpec>;

/** Options of a judge over an evaluation. */
export const JUDGE_RUN_OPTIONS = {
  'judge-price': {
    type: 'string',
    value: 'IN,OUT',
    help: "the server's price in dollars per million prompt and completion tokens, to report the cost",
  },
  judgements: {
    type: 'string',
    value: 'FILE',
    help: 'file of verdicts, read and extended, so that the same command continues (default: OUT.judgements.jsonl with --out FILE)',
  },
} as const satisfies Record<string, OptionSpec>;

const JUDGE_DEFAULTS = { calls: 4, timeoutS: 120 };

/** `0.15,0.6`: dollars per million prompt and completion tokens. @throws UsageError */
export function readPrice(given: OptionValues[string]): JudgePrice | null {
  if (given === undefined) return null;
  const [prompt, completion, ...more] = String(given).split(',').map(Number);
  const sound = (price: number | undefined): price is number =>
    price !== undefined && Number.isFinite(price) && price >= 0;
  if (!sound(prompt) || !sound(completion) || more.length > 0)
    throw new UsageError(
      `--judge-price is '${String(given)}'; it must be two numbers, dollars per million prompt and completion tokens: --judge-price 0.15,0.60.`,
    );
  return { prompt, completion };
}

/** How a judge is asked. */
export interface Asking {
  concurrency: number;
  timeoutMs: number;
}

export const askingOf = (values: OptionValues): Asking => ({
  concurrency: Number(values['judge-calls'] ?? JUDGE_DEFAULTS.calls),
  timeoutMs: 1000 * Number(values['judge-timeout'] ?? JUDGE_DEFAULTS.timeoutS),
});

/** @throws UsageError where options of a judge are given without one */
export function checkJudge(values: OptionValues, others: readonly string[] = []): void {
  if (values['judge'] !== undefined) return;
  const alone = [...Object.keys(JUDGE_OPTIONS), ...others].find(
    (name) => values[name] !== undefined,
  );
  if (alone !== undefined)
    throw new UsageError(`--${alone} needs a judge: --judge DIR, or --judge URL.`);
}

export const JUDGE_PURPOSE = { option: '--judge', work: 'judge' };

/** The model of `--judge`; null without it. @throws UsageError */
export async function openJudgeModel(values: OptionValues): Promise<OpenTextModel | null> {
  if (values['judge'] === undefined) return null;
  const name = values['judge-model'] as string | undefined;
  return openTextModel(String(values['judge']), name, JUDGE_PURPOSE);
}

/** A judge that counts what it spends. @param known verdicts that need not be asked for */
export const countingJudge = (
  { model }: OpenTextModel,
  known: ReadonlyMap<string, Judgement> = new Map(),
): Judge => createJudge(model, { clock: () => performance.now(), known });
