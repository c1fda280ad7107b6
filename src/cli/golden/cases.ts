import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../base/errors.ts';
import { UsageError } from '../shared/options.ts';
import { isSystem, SYSTEM_IDS, type SystemId } from './systems.ts';

/** Golden cases: what a scripted policy wrote, and what the released reward functions returned for it. */

const caseSchema = z.object({
  id: z.number(),
  /** Where the file is not named by its system. */
  system: z.string().optional(),
  kind: z.string(),
  subkind: z.string().optional(),
  golds: z.array(z.string()).min(1),
  /** What the policy wrote, turn by turn. */
  turns: z.array(z.string()),
  /** Gold wordings of each sub-question (StepSearch). */
  search_keys: z.array(z.array(z.string()).min(1)).optional(),
  support_docs: z.array(z.object({ title: z.string(), paragraph_text: z.string() })).optional(),
  /** Returned values by function. */
  released: z.record(z.string(), z.union([z.number(), z.array(z.number())])),
});

export type GoldenCase = Omit<z.infer<typeof caseSchema>, 'system'> & { system: SystemId };

function caseOf(line: string, number: number, path: string): GoldenCase {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new UsageError(`${path}, line ${number} is not JSON: ${messageOf(error)}.`);
  }
  const read = caseSchema.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new UsageError(
      `${path}, line ${number} is not a golden case: ${issue?.path.join('.') || 'the line'}: ${issue?.message}.`,
    );
  }
  const system = read.data.system ?? basename(path).replace(/\.jsonl$/, '');
  if (!isSystem(system))
    throw new UsageError(
      `${path}, line ${number}: no released rewards of "${system}" are known; name the file or "system" ${SYSTEM_IDS.join(', ')}.`,
    );
  return { ...read.data, system };
}

/** @throws UsageError where the file cannot be read, or a line is not a case; names the line */
export async function readCases(path: string): Promise<GoldenCase[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${messageOf(error)}.`);
  }
  const cases = text
    .split('\n')
    .flatMap((line, i) => (line.trim() === '' ? [] : [caseOf(line, i + 1, path)]));
  if (cases.length === 0) throw new UsageError(`${path} has no golden cases.`);
  return cases;
}
