import type { z } from 'zod';

/** The first problem that a schema found, with where it is: "counts.local: expected number". */
export function explain(error: z.ZodError): string {
  const issue = error.issues[0];
  if (!issue) return 'does not have the expected shape';
  const path = issue.path.join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}
