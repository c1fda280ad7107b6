import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isGgufName } from '../../formats/gguf.ts';
import { UsageError, type OptionValues } from '../shared/options.ts';
import { projectPath } from '../shared/paths.ts';

/** More contexts than this do not decode together. */
const MOST_SLOTS = 64;

/** Numbers of slots, the smallest first. @throws UsageError */
function slotsOf(text: string): number[] {
  const counts = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  if (!counts.every((n) => Number.isInteger(n) && n >= 1 && n <= MOST_SLOTS))
    throw new UsageError(
      `--slots is '${text}'; it must be whole numbers from 1 to ${MOST_SLOTS} with commas between them, such as 1,4,16.`,
    );
  return [...new Set(counts)].toSorted((a, b) => a - b);
}

/** The words that `bench/against/main.ts` is started with. @throws UsageError */
export function againstWords(values: OptionValues, weights: readonly string[]): string[] {
  const { policy, slots = '1,4,16', threads = 1 } = values;
  if (values['kv'] !== undefined)
    throw new UsageError(
      '--kv does not go with --against: both engines hold keys and values in f32.',
    );
  if (typeof policy !== 'string' || !isGgufName(policy))
    throw new UsageError(
      `--against needs --policy FILE.gguf: wllama opens GGUF files only${policy === undefined ? '' : `, and ${String(policy)} is none`}.`,
    );
  if (!existsSync(policy))
    throw new UsageError(`--policy is ${policy}, which does not exist. Correct the path.`);
  if (!existsSync(projectPath('bench')))
    throw new UsageError(
      '--against needs the sources of Forage, which an installed package lacks.',
    );
  return [
    `--policy=${resolve(policy)}`,
    `--slots=${slotsOf(String(slots)).join(',')}`,
    `--threads=${threads}`,
    ...weights.map((type) => `--weights=${type}`),
    ...(values['json'] ? ['--json'] : []),
  ];
}
