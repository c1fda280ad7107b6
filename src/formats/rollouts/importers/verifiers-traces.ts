import { RecordError, type Importer, type RecordParts } from '../parts/build.ts';
import { asNumber, asText, type JsonObject } from '../shape/json.ts';
import { idTokens } from '../parts/message-tokens.ts';
import {
  atFirstAnswer,
  completionOf,
  lastAsked,
  messagesOf,
  promptOf,
  type Message,
} from '../parts/messages.ts';
import { goldsIn, questionIn, stepIn } from '../parts/question.ts';
import { isObject } from '../../../base/objects.ts';

/** A trace: messages as a graph of `nodes`, each with the tokens that it adds. */
const isTrace = (record: JsonObject): boolean =>
  isObject(record['task']) &&
  Array.isArray(record['nodes']) &&
  record['nodes'].every((node) => isObject(node) && isObject(node['message']));

/** The path from a root to the last leaf: what the rollout ended with. @throws RecordError */
function lastBranch(nodes: readonly JsonObject[]): JsonObject[] {
  const path: JsonObject[] = [];
  for (let at: number | null = nodes.length - 1; at !== null && at >= 0;) {
    const node: JsonObject | undefined = nodes[at];
    if (!node) break;
    path.unshift(node);
    const parent = asNumber(node['parent']);
    // A graph is written in order: a parent after its child would be a ring.
    if (parent !== null && (parent >= at || parent < 0))
      throw new RecordError(`"nodes" ${at} has the parent ${parent}; expected an earlier one`);
    at = parent;
  }
  return path;
}

/** Ids and values of the tokens that the model sampled; template tokens before them are left out. */
function columnsOf(node: JsonObject): Message['columns'] {
  const { token_ids: ids, mask } = node;
  if (node['sampled'] !== true || !Array.isArray(ids) || !Array.isArray(mask)) return null;
  return idTokens(
    ids.filter((_, i) => mask[i] === true),
    {
      logprobs: node['logprobs'],
      refLogprobs: node['reference_logprobs'],
      advantages: node['advantages'],
    },
  );
}

/** The reward is the weighted sum of what was scored; null stands for what was not. */
function rewardsOf(record: JsonObject): Pick<RecordParts, 'reward' | 'rewards'> {
  const given = isObject(record['rewards']) ? record['rewards'] : {};
  const rewards = Object.entries(given).flatMap(([clause, one]) => {
    const value = isObject(one) ? asNumber(one['score']) : null;
    const weight = isObject(one) ? (asNumber(one['weight']) ?? 1) : 1;
    return value === null ? [] : [{ clause, value, weight, evidence: [] }];
  });
  const reward = rewards.reduce((sum, { value, weight }) => sum + value * weight, 0);
  return { rewards, reward: rewards.length === 0 ? null : reward };
}

/**
 * One trace of verifiers (version 1) and prime-rl: `task.data` with the prompt and the gold answer, `nodes`
 * with messages, ids, mask and log-probabilities, `rewards` with weights. Where compaction or sub-agents
 * left several branches, the last is read; all stay among the fields.
 * @throws RecordError naming the key at fault
 */
function readTrace(record: JsonObject): RecordParts {
  const nodes = (record['nodes'] as unknown[]).filter(isObject);
  const branch = lastBranch(nodes);
  const messages = branch.flatMap((node): Message[] => {
    const read = messagesOf([node['message']]);
    if (read === null) throw new RecordError('"nodes" must hold messages of {role, content}');
    const columns = columnsOf(node);
    return columns ? read.map((message) => ({ ...message, columns })) : read;
  });
  const [asked, said] = atFirstAnswer(messages);
  const task = isObject(record['task']) ? record['task'] : {};
  const data = isObject(task['data']) ? task['data'] : {};
  const question = asText(data['question']) ?? questionIn(lastAsked(asked) ?? '');
  return {
    prompt: promptOf(asked),
    ...completionOf(said),
    held: [],
    question,
    answers: goldsIn(data, 'answer'),
    step: stepIn(record),
    ...rewardsOf(record),
  };
}

export const verifiersTraces: Importer = {
  id: 'verifiers-traces',
  name: 'traces of verifiers and prime-rl',
  keys: ['nodes', 'task'],
  is: isTrace,
  read: readTrace,
};
