import type { RewardClause } from '../../../records/rollout.ts';
import { asNumber, type JsonObject } from '../shape/json.ts';
import { itemAt } from '../../../base/items.ts';
import {
  COMPLETION_KEYS,
  GOLD_KEYS,
  PREDICTION_KEYS,
  PROMPT_KEYS,
  STEP_KEYS,
  TAGGED_KEYS,
} from './keys.ts';
import type { RecordParts } from './build.ts';

/**
 * Rewards among the columns of a table. A reward function's column has the function's name, which may be
 * anything, and beside it stand whatever other numbers were noted: names tell them apart.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Columns that hold the sum of all. */
const TOTALS = ['reward', 'total_reward'];

/** Words by which a name says that it is a reward. */
const SAYS = words('reward rewards score scores penalty bonus');
/** Words of names that rewards often have, in tables that hold more than a trainer wrote. */
const OFTEN = words('acc accuracy correct correctness em f1 match format judge');

/** Last words of what is never one, whatever stands before: a reward's spread, too, is none. */
const NEVER = words(
  `id ids idx index indices uid uuid step epoch iteration seed rank ms seconds time
   timestamp std mean weight advantage`,
);
/** Last words of what measures a rollout; "reward_len" is a reward by its other word. */
const MEASURES = words(
  `len length lengths tokens chars words count number size turn turns round rounds
   steps calls searches hops retries temperature loss kl entropy logprob logprobs logp
   logps perplexity latency duration cost lr difficulty level year batch attempt trial
   sample group`,
);
/** Last words of columns that hold texts, objects or pictures. */
const TEXTS = words(
  `image images video videos audio tool tools call message messages error exception info metadata meta extra note
   notes comment comments name type kind source category domain tag tags url path file text content role title
   reason feedback explanation thought reasoning system user model task split trajectory`,
);
const TEXT_KEYS = [...PROMPT_KEYS, ...COMPLETION_KEYS, ...TAGGED_KEYS];
/** First words of numbers and indices: num_turns, n_tokens, idx_in_batch, pandas' `__index_level_0__`. */
const COUNTS = words('num n nr idx index unnamed');

const NO_REWARDS: ReadonlySet<string> = new Set([...GOLD_KEYS, ...PREDICTION_KEYS, ...STEP_KEYS]);

const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');

/** Whether a number of that name measures the run or the rollout, and does not judge the answer. */
function isMeasure(name: string): boolean {
  const own = wordsOf(name);
  const last = own.at(-1) ?? '';
  if (NEVER.has(last)) return true;
  if (own.some((word) => SAYS.has(word))) return false;
  return MEASURES.has(last) || COUNTS.has(own[0] ?? '');
}

const mayBeReward = (name: string): boolean =>
  !NO_REWARDS.has(name) && !TOTALS.includes(name) && !isMeasure(name);

/** Numbers of a record that may be rewards, by name, without the total. */
export const numbersIn = (record: JsonObject): [string, number][] =>
  Object.entries(record).flatMap(([name, value]): [string, number][] => {
    const number = asNumber(value);
    return number !== null && mayBeReward(name) ? [[name, number]] : [];
  });

/** A reward function abstains with None, or NaN where a table has no None. */
const isAbsent = (value: unknown): boolean =>
  value === null || (typeof value === 'number' && !Number.isFinite(value));

/** Whether a column of that name, where it is empty, would hold something else than a number. */
const isText = (name: string): boolean =>
  TEXTS.has(wordsOf(name).at(-1) ?? '') || (TEXT_KEYS as readonly string[]).includes(name);

const clause = ([name, value]: readonly [string, number]): RewardClause => ({
  clause: name,
  value,
  weight: 1,
  evidence: [],
});

/**
 * The clauses of a reward that is stated. How its parts were weighed is nowhere said: they are clauses where
 * they sum to it as they stand, else it is one clause, and they stay among the fields.
 */
export function clausesOf(
  name: string,
  reward: number,
  parts: readonly [string, number][],
): RewardClause[] {
  const sum = parts.reduce((total, [, value]) => total + value, 0);
  const whole = parts.length > 0 && Math.abs(sum - reward) < 1e-6;
  return (whole ? parts : [[name, reward] as const]).map(clause);
}

/** TRL's table has both; early versions lack the advantage. */
const isTable = (record: JsonObject): boolean =>
  ['advantage', ...STEP_KEYS].some((key) => Object.hasOwn(record, key));

const isNamedReward = (name: string): boolean =>
  mayBeReward(name) && wordsOf(name).some((word) => SAYS.has(word) || OFTEN.has(word));

/**
 * The rewards of a row of TRL's table. A total that is stated is the reward. Else it has one column per reward
 * function. The reward is stated only where there is one function: of several nobody knows the weights, also
 * in a row in which all but one abstained. In a row that is no trainer's, a column counts only where its name is
 * one that rewards have.
 */
export function rewardsOfRow(record: JsonObject): Pick<RecordParts, 'reward' | 'rewards'> {
  const trained = isTable(record);
  const parts = numbersIn(record).filter(([name]) => trained || isNamedReward(name));
  for (const name of TOTALS) {
    const reward = asNumber(record[name]);
    if (reward !== null) return { reward, rewards: clausesOf(name, reward, parts) };
  }
  const abstained = Object.entries(record).filter(
    ([name, value]) =>
      isAbsent(value) && (isNamedReward(name) || (trained && mayBeReward(name) && !isText(name))),
  );
  return {
    rewards: parts.map(clause),
    reward: parts.length === 1 && abstained.length === 0 ? itemAt(parts, 0)[1] : null,
  };
}
