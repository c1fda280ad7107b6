/**
 * Where constants are from: paper or code with the place in it, or ours, with the published value where there is one. By the
 * constant's path:
 *
 * - `settings.…` of the loop's settings: `settings.retrieval.k`
 * - a variant's name and a path of its settings: `grpo.objective.kl.coefficient`
 * - `changes.…` of a switch of training: `changes.dynamicSampling.screen`
 * - `reward.` and the id of a reward that the system is trained with: the constants of its file
 */
export type Sources = Readonly<Record<string, string>>;

/** A constant with its value here; null for the constants of a reward, of which there are several. */
export interface Constant {
  constant: string;
  value: unknown;
  from: string;
}

interface Sourced {
  id: string;
  about?: { sources?: Sources };
  settings?: unknown;
  training?: readonly { name: string; settings: { stages: readonly { reward: string }[] } }[];
  changes?: { stages?: readonly { reward?: string }[] };
}

/** The value at a path of names and places. @returns undefined where there is none */
function at(value: unknown, path: readonly string[]): unknown {
  let found: unknown = value;
  for (const name of path)
    found =
      typeof found === 'object' && found !== null
        ? (found as Record<string, unknown>)[name]
        : undefined;
  return found;
}

function rewardsOf({ training = [], changes = {} }: Sourced): Set<string> {
  const stages = [
    ...training.flatMap(({ settings }) => settings.stages),
    ...(changes.stages ?? []),
  ];
  return new Set(stages.flatMap(({ reward }) => reward ?? []));
}

/**
 * The constants of a system or a switch that name their source, with their values.
 * @throws Error for an unknown path
 */
export function constantsOf(of: Sourced): Constant[] {
  return Object.entries(of.about?.sources ?? {}).map(([constant, from]) => {
    const [first = '', ...path] = constant.split('.');
    if (first === 'reward' && rewardsOf(of).has(path.join('.')))
      return { constant, value: null, from };
    const roots: Record<string, unknown> = { settings: of.settings, changes: of.changes };
    const variant = of.training?.find(({ name }) => name === first);
    const value = at(variant ? variant.settings : roots[first], path);
    if (value === undefined)
      throw new Error(`${of.id} has no constant "${constant}" whose source it could tell`);
    return { constant, value, from };
  });
}
