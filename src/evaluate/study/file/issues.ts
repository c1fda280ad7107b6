import type { z } from 'zod';
import { placeOf, wordsOf } from '../../../base/errors.ts';

/**
 * Every problem that a schema found, a line each; keys that a strict object does not have are named as
 * unknown settings.
 * @param where what is in front of each place, such as `arms "whole": `
 */
export const issueLines = (error: z.ZodError, where = ''): string[] =>
  error.issues.flatMap((issue) => {
    const place = placeOf(issue);
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map(
        (key) => `${where}unknown setting "${place === '' ? key : `${place}.${key}`}"`,
      );
    return [`${where}${place === '' ? '' : `${place}: `}${wordsOf(issue)}`];
  });
