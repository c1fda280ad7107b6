/** What a scripted policy writes: a thought, two searches that lead to the answer, the answer. */

export const THINK = '<think> plan : author , birth city .</think>';
export const FIRST = '<search> author of Old Wolf</search>';
export const SECOND =
  '<think> author is Victor Kerlund .</think><search> birth city of Victor Kerlund</search>';
export const ANSWER = '<think> done .</think><short_answer> \\boxed{ Borfield }</short_answer>';
export const LOOP = [THINK + FIRST, SECOND, ANSWER];
export const off = { stie: { mode: 'off' as const } };
export const base = { ...off, background: { mode: 'off' as const } };
