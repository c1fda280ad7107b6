import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';

/** What a file of rollouts does not say, so that nobody waits for a chart that cannot come. */

type Policy = ImportedRollout['segments'][number];

const written = ({ segments }: ImportedRollout): Policy[] =>
  segments.filter(({ source }) => source === 'policy');

/** By name, whether a rollout lacks it; in the order in which the line says them. */
const PARTS = {
  steps: ({ step }) => step === null,
  'gold answers': ({ question }) => question.answers.length === 0,
  'a total reward': ({ reward }) => reward === null,
  advantages: (rollout) =>
    rollout.advantage === null && !written(rollout).some((s) => s.advantages),
  tokens: (rollout) => !written(rollout).some(({ ids, tokens }) => ids ?? tokens),
  'log-probabilities': (rollout) => !written(rollout).some(({ logprobs }) => logprobs),
} as const satisfies Record<string, (rollout: ImportedRollout) => boolean>;

type Part = keyof typeof PARTS;

/** Rollouts that lack it, by what they lack. */
export type MissingParts = Partial<Record<Part, number>>;

export function countMissing(counts: MissingParts, rollout: ImportedRollout): void {
  for (const part of Object.keys(PARTS) as Part[])
    if (PARTS[part](rollout)) counts[part] = (counts[part] ?? 0) + 1;
}

const joined = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/**
 * One line: what no rollout has, and what some lack; null where nothing is missing.
 * @param total rollouts of the file
 */
export function lacksLine(counts: MissingParts, total: number): string | null {
  const found = (Object.keys(PARTS) as Part[]).flatMap((part) => {
    const count = counts[part] ?? 0;
    return count === 0 ? [] : [{ part, count }];
  });
  const none = found.filter(({ count }) => count === total).map(({ part }) => part);
  const some = found
    .filter(({ count }) => count < total)
    .map(({ part, count }) => `${part} in ${count} of ${total}`);
  const parts = [...(none.length > 0 ? [joined(none)] : []), ...some];
  return parts.length === 0 ? null : parts.join('; ');
}
