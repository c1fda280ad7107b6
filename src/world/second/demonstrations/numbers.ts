/** Sums in small steps, as a thought writes them: every step is one that a small model can learn by heart. */

export interface Worked {
  /** What is written before the result: "76 to 100 is 24 , 24 + 8 is 32". */
  work: string;
  result: number;
  /** The same as one expression: "2008 - 1976". */
  expression: string;
}

const hundreds = (value: number): number => Math.floor(value / 100);

/** How many years lie between two: over the turn of a century in two steps. */
export const yearsBetween = (one: number, other: number): Worked => {
  const [from, to] = one < other ? [one, other] : [other, one];
  const result = to - from;
  const expression = `${to} - ${from}`;
  const start = from % 100;
  if (hundreds(from) === hundreds(to))
    return { work: `${start} to ${to % 100} is ${result}`, result, expression };
  const left = 100 - start;
  return {
    work: `${start} to 100 is ${left} , ${left} + ${result - left} is ${result}`,
    result,
    expression,
  };
};

/** A sum: of hundreds where both are, else tens and ones first and then the rest, with what is carried. */
export const sumOf = (a: number, b: number): Worked => {
  const result = a + b;
  const expression = `${a} + ${b}`;
  const step = (x: number, y: number): string => `${x} + ${y} is ${x + y}`;
  if (a < 100 && b < 100) return { work: step(a, b), result, expression };
  if (a % 100 === 0 && b % 100 === 0)
    return { work: step(hundreds(a), hundreds(b)), result, expression };
  const low = step(a % 100, b % 100);
  if (hundreds(b) === 0) return { work: low, result, expression };
  const carried = hundreds((a % 100) + (b % 100));
  const high = hundreds(a) + hundreds(b);
  const sum =
    carried > 0
      ? `${step(hundreds(a), hundreds(b))} , ${step(high, carried)}`
      : step(hundreds(a), hundreds(b));
  return { work: `${low} , ${sum}`, result, expression };
};
