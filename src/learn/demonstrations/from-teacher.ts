import { runGroup } from '../../agent/run.ts';
import { deriveSeed } from '../../base/random.ts';
import type { Policy } from '../../policy/policy.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import { isRight } from '../trajectories/choose.ts';
import { GaveUp, type Reason } from './left-out.ts';
import { isSaid, SeenText } from './mentions.ts';
import { replayedSources } from './replayed.ts';
import {
  withoutStie,
  writeRollout,
  type DemonstrationOptions,
  type DemonstrationSources,
  type Outcome,
} from './write-rollout.ts';
import type { DemonstrationModel } from './written-policy.ts';

/** Rollouts of a larger model in the recipe's loop, in the tokens of the model that is to learn. */

/** The policy's turns as text, each as long as the environment lets it write. */
function turnsOf({ segments }: Rollout): string[] {
  const turns: string[] = [];
  let writing = false;
  for (const { source, text } of segments) {
    if (source === 'policy') {
      if (writing) turns.push(`${turns.pop() ?? ''}${text}`);
      else turns.push(text);
    }
    writing = source === 'policy';
  }
  return turns;
}

function faultIn({ events, metrics }: Rollout): Reason | null {
  if (events.some((event) => event.kind === 'error' && event.what === 'policy')) return 'failed';
  if (!isRight({ metrics })) return 'wrong';
  return metrics?.formatValid ? null : 'format';
}

/** A right rollout of another model, with the same text in this model's tokens and the same passages. */
async function rewrite(
  rollout: Rollout,
  model: DemonstrationModel,
  question: Question,
  options: DemonstrationOptions,
): Promise<Outcome> {
  const reason = faultIn(rollout);
  if (reason !== null) return { leftOut: reason };
  const results = rollout.events.flatMap((event) =>
    event.kind === 'retrieve' || event.kind === 'background' ? [event.hits] : [],
  );
  if (!rollout.events.some(({ kind }) => kind === 'retrieve')) return { leftOut: 'no-search' };
  const turns = turnsOf(rollout);
  const seen = new SeenText(question.text);
  let next = 0;
  const routes = rollout.events.flatMap((event) => {
    if (event.kind !== 'route' || event.by !== 'router' || event.choice === 'both') return [];
    const { choice, probabilities, features } = event;
    return [{ choice, probabilities, features }];
  });
  return writeRollout(
    replayedSources(results, routes),
    model,
    {
      question,
      id: rollout.id,
      group: rollout.groupId,
      seed: rollout.seed,
      by: `none: ${rollout.policy.id} sampled this text, in other tokens`,
      author: (shown) => {
        seen.add(shown);
        const text = turns[next++];
        if (text === undefined) throw new GaveUp('no-answer');
        const last = next === turns.length;
        if (last && !isSaid([rollout.answer ?? '', ...question.answers], seen))
          throw new GaveUp('answer-not-shown');
        return { text };
      },
    },
    options,
  );
}

/** Rollouts per question by default. */
export const TEACHER_GROUP = 4;

interface TeacherOptions extends DemonstrationOptions {
  /** Rollouts of a question. */
  group: number;
}

/**
 * A group of rollouts of one question by the teacher, each as a demonstration or with the reason why it is none: kept are
 * right ones that follow the protocol and whose passages show the answer.
 * @param group rollouts of the question
 * @throws Error where all of them failed at the teacher, with what it said
 */
async function demonstrateByTeacher(
  sources: DemonstrationSources,
  { teacher, model }: { teacher: Policy; model: DemonstrationModel },
  question: Question,
  { group, ...options }: TeacherOptions,
): Promise<Outcome[]> {
  const { recipe, signal } = options;
  const overrides = withoutStie(options.overrides);
  const rollouts = await runGroup(
    { ...sources, policy: teacher },
    {
      question,
      recipe,
      overrides,
      seed: deriveSeed(options.seed, 'teacher', question.id),
      size: group,
      groupId: `teacher-${options.seed}-${question.id}`,
      runId: 'demonstrations',
      step: 0,
      ...(signal && { signal }),
    },
  );
  signal?.throwIfAborted();
  const errors = rollouts.flatMap(
    ({ events }) => events.find((event) => event.kind === 'error' && event.what === 'policy') ?? [],
  );
  const [first] = errors;
  if (first?.kind === 'error' && errors.length === rollouts.length) throw new Error(first.message);
  return Promise.all(rollouts.map((one) => rewrite(one, model, question, options)));
}

/** Questions that a teacher is asked at the same time; a server batches them. */
const QUESTIONS_AT_ONCE = 4;

/**
 * The same for many questions: yields the outcomes of one question after another.
 * @throws Error where all rollouts of a question failed at the teacher, with what it said
 */
export async function* teach(
  sources: DemonstrationSources,
  models: { teacher: Policy; model: DemonstrationModel },
  questions: readonly Question[],
  options: TeacherOptions,
): AsyncGenerator<Outcome[]> {
  for (let at = 0; at < questions.length; at += QUESTIONS_AT_ONCE)
    yield* await Promise.all(
      questions
        .slice(at, at + QUESTIONS_AT_ONCE)
        .map((question) => demonstrateByTeacher(sources, models, question, options)),
    );
}
