import { expect } from 'vitest';
import { describeTools } from '../../../src/agent/transcript/tool-chat.ts';
import { createRouter } from '../../../src/agent/router/router.ts';
import { runRollout } from '../../../src/agent/run.ts';
import { instructionText } from '../../../src/agent/transcript/instruction.ts';
import { schemaOf, toolsOf } from '../../../src/agent/transcript/tool-list.ts';
import { randomNumbers } from '../../../src/base/random.ts';
import type { TurnMessage } from '../../../src/policy/text-model.ts';
import { type RecipeSettings, withOverrides } from '../../../src/recipes/parts/settings.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import { eventsOf, faultsOf, QUESTION, retrieverOver, stopReason } from '../helpers.ts';
import { runText } from './helpers.ts';
import { ScriptedTokens } from './scripted-tokens.ts';
import { type Call, chatOf, type Family, templateOf, tokenizerOf } from './tool-families.ts';

const STEP = 170;
const OVERRIDES = {
  dialect: 'tools',
  budgets: { tokens: 3500, stepTokens: STEP, maxFaults: 20 },
  retrieval: { source: 'local', maxSearches: 30, k: 1, passageTokens: 40 },
} as const;

const QUERIES = ['Old Wolf', 'Victor "Wolf"', 'in Borfield?', 'naïve 雪 \\', 'Harbor {film}'];

type Turn =
  | { kind: 'calls'; calls: readonly Call[]; said: string }
  | { kind: 'broken' }
  | { kind: 'cut' };

/** A conversation of up to four turns with calls, and an answer. */
function conversationOf(
  seed: number,
  { write, silent }: Family,
): { turns: Turn[]; clean: boolean } {
  const random = randomNumbers(seed);
  const pick = (n: number): number => Math.floor(random() * n);
  const most = write([
    { name: 'search', query: 'a' },
    { name: 'search', query: 'b' },
  ]).includes('"b"')
    ? 2
    : 1;
  const turns = Array.from({ length: 1 + pick(2) }, (): Turn => {
    const kind = pick(10);
    if (kind === 0) return { kind: 'broken' };
    if (kind === 1) return { kind: 'cut' };
    const calls = Array.from({ length: 1 + pick(most) }, () => ({
      name: kind === 2 ? 'open_page' : 'search',
      query: QUERIES[pick(QUERIES.length)]!,
    }));
    return { kind: 'calls', calls, said: !silent && kind > 6 ? 'I look this up.\n' : '' };
  });
  return { turns, clean: turns.every(({ kind }) => kind === 'calls') };
}

const written = (turn: Turn, { write, broken, cut }: Family): string => {
  if (turn.kind === 'broken') return broken;
  if (turn.kind === 'cut') return cut + 'Old Wolf '.repeat(100);
  return turn.said + write(turn.calls);
};

const searchSettings = (): RecipeSettings => withOverrides(getRecipe('search').settings, OVERRIDES);

/** The whole conversation as messages, for the template itself. */
function messagesOf(rollout: Rollout, turns: readonly Turn[], family: Family): TurnMessage[] {
  const own = ['smollm2', 'gemma3'].includes(family.name);
  const settings = rollout.recipe.settings as unknown as RecipeSettings;
  const instruction = instructionText(settings);
  const schemas = toolsOf(settings).map(schemaOf);
  const system = own
    ? `${instruction}\n\n${describeTools(family.name === 'gemma3' ? 'gemma' : 'hermes', schemas)}`
    : instruction;
  const results = rollout.segments.flatMap(({ role, text }) => (role === 'result' ? [text] : []));
  const resultOf = (text: string): string =>
    family.name.startsWith('llama') ? (JSON.parse(`"${text}"`) as string) : text;
  const messages: TurnMessage[] = [
    { role: 'system', content: system },
    { role: 'user', content: `Question: ${QUESTION.text}` },
  ];
  for (const turn of turns) {
    if (turn.kind !== 'calls') throw new Error('not a whole conversation');
    const ids = turn.calls.map((_, i) => `abcdefgh${i}`);
    if (own) messages.push({ role: 'assistant', content: written(turn, family) });
    else
      messages.push({
        role: 'assistant',
        content: turn.said.trim(),
        tool_calls: turn.calls.map(({ name, query }, i) => ({
          id: ids[i]!,
          type: 'function',
          function: { name, arguments: { query } },
        })),
      });
    const told = turn.calls.map(() => resultOf(results.shift() ?? ''));
    if (family.name === 'gemma3')
      messages.push({
        role: 'user',
        content: told.map((text) => `\`\`\`tool_output\n${text}\n\`\`\``).join('\n'),
      });
    else
      told.forEach((content, i) =>
        messages.push({ role: 'tool', content, name: turn.calls[i]!.name, tool_call_id: ids[i]! }),
      );
  }
  messages.push({ role: 'assistant', content: 'Borfield' });
  return messages;
}

const REQUEST = {
  question: QUESTION,
  recipe: getRecipe('search'),
  overrides: OVERRIDES,
  seed: 7,
  rolloutId: 'r',
  runId: 'run',
  groupId: 'g',
  step: 0,
};
const retriever = retrieverOver();
const router = createRouter();

/**
 * Holds scripted conversations with a family's template: calls, several of one turn, broken and cut ones. What was sampled is
 * what is trained, and the context of a conversation without faults is the template's own text of it.
 */
export async function checkConversations(family: Family, count: number): Promise<void> {
  const tokenizer = tokenizerOf(family);
  const chat = chatOf(family);
  const template = templateOf(family);
  const encode = (text: string): number[] => tokenizer.encodeTemplate?.(text) ?? [];
  const [callEnd, answerEnd] = family.ends;
  const answered = (text: string): string => (family.answer?.(text) ?? text) + answerEnd;

  let compared = 0;
  for (let seed = 0; seed < count; seed++) {
    const { turns, clean } = conversationOf(seed, family);
    const replies = [
      ...turns.map((turn) => encode(written(turn, family) + callEnd)),
      encode(answered('Borfield')),
    ];
    const policy = new ScriptedTokens(tokenizer, replies, chat);
    // Some are watched, which takes most of the time.
    const rollout =
      seed % 10 === 0
        ? await runText({ policy, overrides: OVERRIDES })
        : await runRollout({ policy, retriever, router, now: Date.now }, REQUEST);
    const calls = turns.flatMap((turn) => (turn.kind === 'calls' ? turn.calls : []));
    const good = calls.filter(({ name }) => name === 'search').map(({ query }) => query);
    expect(
      eventsOf(rollout, 'search').map(({ query }) => query),
      `seed ${seed}`,
    ).toEqual(good);
    expect(rollout.answer, `seed ${seed}`).toBe('Borfield');
    expect(stopReason(rollout)).toBe('answer');
    const wrong = calls.length - good.length + turns.filter(({ kind }) => kind !== 'calls').length;
    expect(faultsOf(rollout).length >= wrong, `seed ${seed}`).toBe(true);
    expect(faultsOf(rollout).length > 0, `seed ${seed}`).toBe(wrong > 0);
    expect(rollout.metrics?.formatValid).toBe(wrong === 0);
    // Everything that was sampled is there and is trained, nothing else is.
    const sampled = rollout.segments.flatMap(({ ids, mask }) => (mask === 1 ? ids : []));
    expect(sampled, `seed ${seed}`).toEqual(replies.flatMap((ids) => ids.slice(0, STEP)));
    // Each search's result is where its event says.
    for (const { segment, hits } of eventsOf(rollout, 'retrieve')) {
      const shown = rollout.segments[segment ?? -1];
      expect(shown?.role).toBe('result');
      if (hits[0]) expect(shown?.text).toContain(hits[0].passage.title);
    }
    const results = rollout.segments.filter(({ role }) => role === 'result');
    const cutOrBroken = turns.filter(({ kind }) => kind !== 'calls').length;
    expect(results).toHaveLength(calls.length + cutOrBroken);
    const single = turns.every((turn) => turn.kind === 'calls' && turn.calls.length === 1);
    if (!clean || family.name === 'harmony') continue;
    if (family.name.startsWith('llama') && !single) continue;
    // The context is the text that the template makes of the whole conversation.
    const whole = template.render(messagesOf(rollout, turns, family), {
      addGenerationPrompt: false,
      now: new Date(2026, 0, 2),
      tools: toolsOf(searchSettings()).map(schemaOf),
    });
    const context = rollout.segments.map(({ text }) => text).join('');
    if (family.name === 'mistral') {
      // Its template puts the instruction only before a user's message that is the last of all.
      const inst = '[INST]';
      expect(context.slice(context.indexOf('Question:'))).toBe(
        whole.slice(whole.indexOf('Question:')),
      );
      expect(whole).toContain(inst);
    } else expect(whole.trimEnd().startsWith(context.trimEnd()), `seed ${seed}`).toBe(true);
    compared += 1;
  }
  if (family.name !== 'harmony') expect(compared).toBeGreaterThan(count / 12);
}
