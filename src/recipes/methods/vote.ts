import { z } from 'zod';

/**
 * ActiveRAG's four agents (arXiv 2402.13547, section 3): each extracts something else from the passages and revises
 * the answer with it.
 */
export const ROLES = ['anchoring', 'associate', 'logician', 'cognition'] as const;
export type RoleName = (typeof ROLES)[number];

export const rolesSchema = z.strictObject({
  /** Whose answer counts: one agent's, as the paper reports each, or what most of them say. */
  answer: z.enum([...ROLES, 'vote']),
});

/** What most say; of equals, what was said first. Null of none. */
export function vote(
  answers: readonly string[],
  same = (text: string): string => text,
): string | null {
  const counts = new Map<string, number>();
  for (const answer of answers) counts.set(same(answer), (counts.get(same(answer)) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  return answers.find((answer) => counts.get(same(answer)) === most) ?? null;
}
