import { asText, type JsonObject } from '../shape/json.ts';
import { isObject } from '../../../base/objects.ts';

/** Rollouts that ended in an error of the system: a rate limit, a crash, an environment that was lost. */

/** Keys under which frameworks leave the error: Inspect AI's and verifiers' is `error`. */
const ERROR_KEYS = ['error', 'errors', 'exception', 'error_message'];
/** Keys that say how a rollout ended. */
const END_KEYS = [
  'termination',
  'stop_condition',
  'stop_reason',
  'finish_reason',
  'termination_reason',
  'status',
];
const FAILED = /^(?:has_|with_)?(?:error|errored|exception|failed|failure|crashed|infra_error)$/i;
const NONE = /^(?:|none|null|false|nan|no error)$/i;

/** Texts of an error: of its message, or of the first text in it. */
function messageIn(value: unknown): string | null {
  const text = asText(value)?.trim();
  if (text !== undefined) return NONE.test(text) ? null : text;
  if (value === true) return 'error';
  if (Array.isArray(value)) return value.length === 0 ? null : (messageIn(value[0]) ?? 'error');
  if (!isObject(value)) return null;
  const keys = ['message', 'error', 'error_message', 'type', ...Object.keys(value)];
  const found = keys.map((key) => asText(value[key])?.trim()).find((one) => one);
  return found ?? (Object.keys(value).length > 0 ? 'error' : null);
}

/** Why a rollout ended in an error; null where the record says of none. */
export function failureOf(record: JsonObject): string | null {
  for (const key of ERROR_KEYS) {
    const message = messageIn(record[key]);
    if (message !== null) return message.replaceAll(/\s+/g, ' ').slice(0, 200);
  }
  const key = END_KEYS.find((name) => FAILED.test(asText(record[name])?.trim() ?? ''));
  return key === undefined ? null : `${key} is “${asText(record[key])?.trim()}”`;
}
