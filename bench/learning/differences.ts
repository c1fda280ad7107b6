/** Fields of a step that a clock wrote. */
const CLOCK = new Set(['at', 'seconds', 'tokensPerSecond']);

type Step = Record<string, unknown>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/**
 * Compares a run's steps with recorded ones to the last bit, clock times aside; `different` names step
 * and field. Fields that the record lacks, because later versions added them, are not compared.
 */
export function differences(
  record: readonly Step[],
  run: readonly Step[],
): { compared: number; different: string[] } {
  const different: string[] = [];
  let compared = 0;
  const compare = (a: unknown, b: unknown, path: string): void => {
    if (isObject(a) && isObject(b)) {
      for (const key of Object.keys(a))
        if (!CLOCK.has(key)) compare(a[key], b[key], `${path}.${key}`);
      return;
    }
    compared += 1;
    if (!Object.is(a, b)) different.push(path);
  };
  for (let i = 0; i < Math.max(record.length, run.length); i++)
    compare(record[i], run[i], `step ${i + 1}`);
  return { compared, different };
}
