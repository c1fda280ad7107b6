import { present } from '../../base/items.ts';
import { runRollout } from '../../agent/run.ts';
import type { AgentDeps } from '../../agent/request.ts';
import type { Hit } from '../../records/hits.ts';
import type { Passage, Question } from '../../records/records.ts';
import type { FrozenAnswer, Rollout } from '../../records/rollout.ts';
import { getRecipe } from '../../recipes/registry.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import { answerScores } from '../../agent/answers/scores.ts';
import type { FrozenReading } from '../rewards/parts/definition.ts';
import { allRewards } from '../rewards/registry.ts';

/**
 * The frozen answerer (R-Search, s3, Memory-R1): the checkpoint without the adapter answers greedily from a part of what
 * a rollout made. Theirs are models of 3 to 14 billion parameters; ours is a copy of the policy as it began.
 */

export type FrozenSource = Exclude<FrozenAnswer['from'], 'question'>;
export const FROZEN_SOURCES = [
  'evidence',
  'memory',
  'selected',
] as const satisfies readonly FrozenSource[];

/** Passages of the retrieval that the frozen policy answers from by itself. */
export const FROZEN_K = 3;

/** Most passages that the answerer reads: more do not fit a small policy's context. */
const MOST = 5;

/** Brings these passages, whatever is asked. */
const only = (passages: readonly Passage[]): Retriever => ({
  search: (source, query, k) =>
    Promise.resolve({
      query,
      source,
      hits: passages.slice(0, k).map((passage): Hit => ({
        passage,
        score: 1,
        source: source === 'both' ? 'local' : source,
      })),
      latencyMs: 0,
      addedDelayMs: 0,
    }),
});

interface Asked {
  agent: AgentDeps;
  /** Answers a question whose rollout was made; the seed is of no use, it is greedy. */
  question: Question;
  retriever: Retriever;
  from: FrozenAnswer['from'];
  k: number;
  signal?: AbortSignal;
}

async function answerOf({
  agent,
  question,
  retriever,
  from,
  k,
  signal,
}: Asked): Promise<FrozenAnswer> {
  const { answer, events } = await runRollout(
    { ...agent, retriever },
    {
      question: { ...question, mayRetrieve: true },
      recipe: getRecipe('naive-rag'),
      overrides: { sampling: { temperature: 0, topK: 0, topP: 1 }, retrieval: { k } },
      seed: 0,
      rolloutId: `frozen-${from}`,
      runId: 'frozen',
      groupId: 'frozen',
      step: 0,
      ...(signal && { signal }),
    },
  );
  // A policy that fails has not answered wrong.
  const failed = events.find((event) => event.kind === 'stop' && event.reason === 'error');
  if (failed?.kind === 'stop') throw new Error(`the frozen policy failed: ${failed.detail}`);
  const { em, f1, subEm } = answerScores(answer, question.answers);
  return { from, answer, em, f1, holds: subEm };
}

/** What the policy answers from one retrieval with the question, greedily. @param k passages that it reads */
export const naiveAnswer = (
  agent: AgentDeps,
  question: Question,
  { k = FROZEN_K, signal }: { k?: number; signal?: AbortSignal } = {},
): Promise<FrozenAnswer> =>
  answerOf({
    agent,
    question,
    retriever: agent.retriever,
    from: 'question',
    k,
    ...(signal && { signal }),
  });

const readingOf = (source: FrozenSource): FrozenReading =>
  present(allRewards().find(({ frozen }) => frozen?.from === source)?.frozen, `what is ${source}`);

/**
 * Asks the frozen policy about every rollout of a group, and writes what it answered into the records: from its
 * evidence or memory alone, or from what was selected and, to compare, from one retrieval with the question. Without
 * anything to read it is not asked.
 * @param agent its policy carries no adapter
 */
export async function askFrozen(
  agent: AgentDeps,
  question: Question,
  group: readonly Rollout[],
  {
    from,
    k,
    reading = readingOf(from),
    signal,
  }: {
    from: FrozenSource;
    k: number;
    /** Of the reward; absent: of the first that has this source. */
    reading?: FrozenReading;
    signal?: AbortSignal;
  },
): Promise<void> {
  const shared = { agent, question, ...(signal && { signal }) };
  const naive = reading.naive
    ? [await naiveAnswer(agent, question, { k, ...(signal && { signal }) })]
    : [];
  await Promise.all(
    group.map(async (rollout) => {
      const passages = reading.passages(rollout).slice(0, MOST);
      const own =
        passages.length === 0
          ? []
          : [await answerOf({ ...shared, from, retriever: only(passages), k: passages.length })];
      rollout.frozen = [...own, ...naive];
    }),
  );
}
