import { asNumber, asText, type JsonObject } from './json.ts';
import { isObject } from '../../../base/objects.ts';

/** Objects that hold several records: logs of Inspect AI, and episodes of verifiers. */

/** Step and group stand once, at the episode; every trace of it gets them. */
function tracesOf(episode: JsonObject, traces: readonly JsonObject[]): JsonObject[] {
  const { group, run } = episode;
  const id = isObject(group) ? asText(group['id']) : null;
  const work = isObject(run) && isObject(run['work']) ? run['work'] : {};
  const step = asNumber(work['step']);
  return traces.map((trace) => ({
    ...trace,
    ...(id !== null && { group_id: id }),
    ...(step !== null && { step }),
  }));
}

/** The records in an object: `samples` of a log, `traces` of an episode; null where it holds none. */
export function recordsWithin(value: unknown): readonly JsonObject[] | null {
  if (!isObject(value)) return null;
  const { samples, traces } = value;
  const listed = [samples, traces].find((list) => Array.isArray(list) && list.length > 0);
  if (!Array.isArray(listed) || !listed.every(isObject)) return null;
  return listed === traces ? tracesOf(value, listed) : listed;
}
