/**
 * Sums and differences in small steps, as a thought writes them: ones and tens apart, so that every step is one of a few
 * hundred facts that a small model learns by heart, and not one of ten thousand.
 */

export interface Worked {
  /** What is written before the result: "2 - 7 …" in steps. */
  work: string;
  result: number;
  /** The same as one expression: "2008 - 1976". */
  expression: string;
}

const hundreds = (value: number): number => Math.floor(value / 100);
const ones = (value: number): number => value % 10;
const tens = (value: number): number => value - ones(value);

/** Of two numbers below 100: "4 + 8 is 12 , 20 + 0 is 20 , 20 + 12 is 32". */
const adding = (a: number, b: number): string => {
  const low = ones(a) + ones(b);
  const high = tens(a) + tens(b);
  const first = `${ones(a)} + ${ones(b)} is ${low}`;
  if (high === 0) return first;
  return `${first} , ${tens(a)} + ${tens(b)} is ${high} , ${high} + ${low} is ${high + low}`;
};

/** Of two numbers below 100, a ten borrowed where it must be: "12 - 5 is 7 , 60 - 30 is 30 , 30 + 7 is 37". */
const subtracting = (from: number, less: number): string => {
  const borrowed = ones(from) < ones(less) ? 10 : 0;
  const low = ones(from) + borrowed - ones(less);
  const high = tens(from) - borrowed - tens(less);
  const first = `${ones(from) + borrowed} - ${ones(less)} is ${low}`;
  const second = `${tens(from) - borrowed} - ${tens(less)} is ${high}`;
  return `${first} , ${second} , ${high} + ${low} is ${high + low}`;
};

/** How many years lie between two: over the turn of a century up to it first. */
export const yearsBetween = (one: number, other: number): Worked => {
  const [from, to] = one < other ? [one, other] : [other, one];
  const result = to - from;
  const expression = `${to} - ${from}`;
  if (hundreds(from) === hundreds(to))
    return { work: subtracting(to % 100, from % 100), result, expression };
  const left = 100 - (from % 100);
  return {
    work: `${from % 100} to 100 is ${left} , ${adding(left, result - left)}`,
    result,
    expression,
  };
};

/** A sum: of hundreds where both are, else the last two digits first and then the rest, with what is carried. */
export const sumOf = (a: number, b: number): Worked => {
  const result = a + b;
  const expression = `${a} + ${b}`;
  if (a < 100 && b < 100) return { work: adding(a, b), result, expression };
  if (a % 100 === 0 && b % 100 === 0)
    return { work: adding(hundreds(a), hundreds(b)), result, expression };
  const low = adding(a % 100, b % 100);
  if (hundreds(b) === 0) return { work: low, result, expression };
  const high = hundreds(a) + hundreds(b);
  const carried = hundreds((a % 100) + (b % 100));
  const carry = carried > 0 ? ` , ${high} + ${carried} is ${high + carried}` : '';
  return {
    work: `${low} , ${adding(hundreds(a), hundreds(b))}${carry}`,
    result,
    expression,
  };
};
