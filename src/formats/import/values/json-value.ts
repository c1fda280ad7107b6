import { messageOf } from '../../../base/errors.ts';
import type { RawItem } from './types.ts';

/** A JSON text as a value, or what is wrong with it. */
export function parseJsonValue(text: string): Pick<RawItem, 'value' | 'problem'> {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch (error) {
    const why = messageOf(error);
    return { problem: { key: '', expected: `expected JSON: ${why.slice(0, 200)}` } };
  }
}
