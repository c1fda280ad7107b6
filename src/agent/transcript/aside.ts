import { deriveSeed } from '../../base/random.ts';
import { mean } from '../../base/statistics.ts';
import type { AsideEvent } from '../../records/events.ts';
import type { Hit } from '../../records/hits.ts';
import { HINTS, inBlock } from '../../records/protocol.ts';
import type { Generated, Policy } from '../../policy/policy.ts';
import type { RecipeSettings } from '../../recipes/parts/settings.ts';
import { answerOpening, blockIds, cutIds, passagesText, readAnswerIn } from './blocks.ts';
import type { BlockKind } from '../../recipes/parts/dialect.ts';
import { formIds, knowsForms } from './form.ts';
import { ProtocolParser } from './parse.ts';
import { frameAround } from './prompt.ts';
import { createScanner } from './scanner.ts';
import type { Stops, Tags } from './tags.ts';
import type { Transcript } from './transcript.ts';

/**
 * What a policy writes beside the rollout's context, in a fresh one that is thrown away. Each is an event with what it
 * was asked and what it wrote; its tokens count as the policy's.
 */
export interface AsideContext {
  readonly policy: Policy;
  readonly tags: Tags;
  readonly transcript: Transcript;
  readonly settings: RecipeSettings;
  /** The rollout's. */
  readonly seed: number;
  readonly signal?: AbortSignal;
}

export interface Aside {
  text: string;
  /** Mean natural-log probability of its tokens; null where the policy gives none. */
  meanLogprob: number | null;
}

type Of = AsideEvent['of'];

interface AsideRequest {
  of: string;
  maxTokens: number;
  stops: Pick<Stops, 'stopIds' | 'stopTexts'>;
}

/** Who is asked, without a rollout around it. */
interface Asked extends Pick<AsideContext, 'policy' | 'tags' | 'seed' | 'signal'> {
  settings: Pick<RecipeSettings, 'sampling'>;
}

const asideOf = (context: AsideContext): AsideContext => {
  const { events } = context.transcript.rollout;
  const count = events.filter(({ kind }) => kind === 'aside').length;
  return { ...context, seed: deriveSeed(context.seed, 'aside', count) };
};

/** Samples after `prompt` in a context of its own. @throws Error where the prompt leaves no room */
async function sampleAside(
  { policy, settings, seed, signal }: Asked,
  prompt: readonly number[],
  { of, maxTokens, stops }: AsideRequest,
): Promise<Generated> {
  const room = policy.info.maxContext - prompt.length - 1;
  if (room < 1)
    throw new Error(
      `the model's context of ${policy.info.maxContext} tokens has no room for a ${of} after ${prompt.length} tokens; choose a model with a longer context`,
    );
  const session = await policy.open(seed);
  try {
    session.append(prompt);
    return await session.generate({
      maxTokens: Math.min(maxTokens, room),
      stopIds: stops.stopIds,
      ...(stops.stopTexts.length > 0 ? { stopTexts: stops.stopTexts } : {}),
      sampling: settings.sampling,
      scores: 'model',
      ...(signal ? { signal } : {}),
    });
  } finally {
    session.close();
  }
}

const meanOf = ({ ids, logprobs }: Generated): number | null =>
  ids.length > 0 && logprobs.length === ids.length ? mean(logprobs) : null;

function note({ transcript }: AsideContext, event: Omit<AsideEvent, 'kind' | 't'>): void {
  transcript.event({ kind: 'aside', ...event });
}

/** Thoughts of a policy that always thinks first are none of its reply. */
const withoutThought = (text: string): string => text.replace(/^[\s\S]*<\/think>/u, '').trim();

interface Request<Name extends string> {
  of: Name;
  instruction: string;
  /** Shown harmless and cut at its beginning where the context cannot hold it. */
  user: string;
  maxTokens: number;
}

/** Asks as text, in the policy's own chat template where it has one. Only for policies that read words. */
export async function askApart(
  asked: Asked,
  { of, instruction, user, maxTokens }: Request<string>,
): Promise<{ text: string; generated: Generated }> {
  const { policy, tags } = asked;
  const { tokenizer } = policy;
  const frame = frameAround(policy, instruction);
  const least = frame.before.length + frame.after.length + maxTokens + 1;
  const whole = tokenizer.encodeText(tags.plain(user));
  const room = Math.max(1, policy.info.maxContext - least);
  const shown = cutIds(whole.toReversed(), room, () => '').toReversed();
  const { stopIds } = tags.stops;
  const generated = await sampleAside(asked, [...frame.before, ...shown, ...frame.after], {
    of,
    maxTokens,
    stops: { stopIds, stopTexts: [] },
  });
  const ids = generated.ids.filter((id) => !tags.meaning(id));
  return { text: withoutThought(tokenizer.decode(ids)), generated };
}

/** Asks as text beside a rollout. */
export async function ask(context: AsideContext, request: Request<Of>): Promise<Aside> {
  const { of, instruction, user } = request;
  const { text, generated } = await askApart(asideOf(context), request);
  note(context, { of, prompt: `${instruction}\n\n${user}`, text, tokens: generated.ids.length });
  return { text, meanLogprob: meanOf(generated) };
}

const READ =
  'Answer the question from the passages alone. Write the answer in as few words as possible and nothing else; write "unknown" where the passages do not say it.';

/** Passages and a question as words. */
export const passagesAndQuestion = (passages: string, question: string): string =>
  `Passages:\n${passages}\n\nQuestion: ${question}`;

/** A reader's short answer to a question, from these passages only. */
export async function readPassages(
  context: AsideContext,
  question: string,
  hits: readonly Hit[],
): Promise<Aside> {
  const { policy, tags, settings } = context;
  const { tokenizer } = policy;
  const text = passagesText(tokenizer, hits, settings.retrieval.passageTokens);
  if (tags.spelling === 'text')
    return ask(context, {
      of: 'reading',
      instruction: READ,
      user: passagesAndQuestion(text, question),
      maxTokens: settings.budgets.answerTokens,
    });
  const { tag, box } = answerOpening(tokenizer, tags);
  const asked = blockIds(tokenizer, tags, 'question', inBlock(question));
  const form = formIds(tokenizer, { ...settings, loop: 'naive-rag', blocks: [] });
  const { maxContext } = policy.info;
  const left = maxContext - form.length - asked.length - settings.budgets.answerTokens - 8;
  const result = blockIds(tokenizer, tags, 'result', text, Math.max(2, left));
  const prompt = [...form, ...asked, ...result, ...tag, ...box];
  const generated = await sampleAside(asideOf(context), prompt, {
    of: 'reading',
    maxTokens: settings.budgets.answerTokens,
    stops: tags.stops,
  });
  const inner = tokenizer.decode([...box, ...generated.ids.filter((id) => !tags.meaning(id))]);
  const answer = readAnswerIn(tags, inner).answer ?? '';
  note(context, {
    of: 'reading',
    prompt: tokenizer.decode(prompt),
    text: answer,
    tokens: generated.ids.length,
  });
  return { text: answer, meanLogprob: meanOf(generated) };
}

/**
 * What a policy that knows only the protocol writes first after a question: its thought, or its first query.
 * @param way `think`: told that it cannot search; `search`: that it can
 * @returns the text of the first such block; empty where it wrote none
 */
export async function firstBlock(
  context: AsideContext,
  {
    of,
    way,
    kind,
    maxTokens,
  }: { of: Of; way: 'think' | 'search'; kind: BlockKind; maxTokens: number },
): Promise<string> {
  const { policy, tags, settings, transcript } = context;
  const { tokenizer } = policy;
  const loop = way === 'think' ? 'naive-generation' : 'agent';
  const prompt = [
    ...formIds(tokenizer, { ...settings, loop, blocks: [] }),
    ...blockIds(tokenizer, tags, 'question', inBlock(transcript.rollout.question.text)),
    ...(way === 'think' && !knowsForms(tokenizer)
      ? blockIds(tokenizer, tags, 'hint', inBlock(HINTS.answerNow))
      : []),
  ];
  const stops = kind === 'think' ? tags.thoughtStops : tags.stops;
  const generated = await sampleAside(asideOf(context), prompt, { of, maxTokens, stops });
  const decode = (ids: readonly number[]): string => tokenizer.decode(ids);
  const parser = new ProtocolParser(tags, decode);
  const scanner = createScanner(tags, decode);
  const units = [...generated.ids.flatMap((id) => scanner.push({ id })), ...scanner.flush()];
  const parsed = units.flatMap((unit) => parser.take(unit).parsed);
  const closed = parsed.find((step) => step.type === 'closed' && step.kind === kind);
  const text = closed?.type === 'closed' ? closed.inner.trim() : '';
  note(context, { of, prompt: decode(prompt), text, tokens: generated.ids.length });
  return text;
}
