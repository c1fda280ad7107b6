import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { instructionText } from '../../../src/agent/transcript/instruction.ts';
import { TURN_ENDED_HINT } from '../../../src/records/protocol.ts';
import { chatTemplateOf } from '../../../src/policy/open/chat-template.ts';
import type { PolicyChat } from '../../../src/policy/policy.ts';
import type { ChatMessage } from '../../../src/policy/text-model.ts';
import { TextPolicy } from '../../../src/policy/remote/text-policy.ts';
import { HuggingFaceTokenizer } from '../../../src/policy/open/tokenizer.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import { withOverrides } from '../../../src/recipes/parts/settings.ts';
import { ScriptedBackend, tokensOf } from '../../policy/remote/pieces/scripted-backend.ts';
import { contextText, eventsOf, QUESTION } from '../helpers.ts';
import { runText } from './helpers.ts';
import { ScriptedTokens } from './scripted-tokens.ts';

const chats = new URL('../../fixtures/chat/', import.meta.url);

/** Tokenizer and template of a family, as they are read of a checkpoint. */
function family(name: string) {
  const read = (file: string): string => readFileSync(new URL(`${name}/${file}`, chats), 'utf8');
  const json = (file: string) => JSON.parse(read(file)) as Record<string, unknown>;
  const settings = json('tokenizer_config.json');
  const file = name === 'llama3' ? read('chat_template.jinja') : null;
  const template = chatTemplateOf(settings, file)!;
  const chat: PolicyChat = {
    render: (messages) => template.render(messages, { addGenerationPrompt: true }),
  };
  return { tokenizer: new HuggingFaceTokenizer(json('tokenizer.json'), settings), chat };
}

const GIVEN_UP = 'I do not know who.';
const ANSWER = '<think> done</think><short_answer> \\boxed{ Borfield }</short_answer>';
const LIMITS = { budgets: { tokens: 900, stepTokens: 400, answerTokens: 60 } };
const HINT = `<hint> ${TURN_ENDED_HINT}</hint>`;
const asked = `<question> ${QUESTION.text}</question>`;

describe.each(['qwen', 'llama3', 'smollm'])('a turn that ended, in the template of %s', (name) => {
  const { tokenizer, chat } = family(name);
  const steps = [GIVEN_UP, ANSWER].map((step) => tokenizer.encodeText(step));
  const policy = () => {
    const scripted = new ScriptedTokens(tokenizer, steps, chat);
    scripted.info.maxContext = 16_384;
    return scripted;
  };
  const run = () => runText({ policy: policy(), overrides: LIMITS });

  it('goes on as the template writes the whole conversation', async () => {
    const settings = withOverrides(getRecipe('search').settings, LIMITS);
    const messages: ChatMessage[] = [
      { role: 'system', content: instructionText(settings) },
      { role: 'user', content: asked },
      { role: 'assistant', content: GIVEN_UP },
      { role: 'user', content: HINT },
    ];
    const rollout = await run();
    const text = contextText(rollout);
    expect(text.slice(0, text.indexOf('<think> done'))).toBe(chat.render(messages));
    const ids = rollout.segments.flatMap((segment) => segment.ids);
    expect(ids.slice(0, -tokenizer.encodeText(ANSWER).length)).toEqual(
      tokenizer.encodeTemplate(chat.render(messages)),
    );
    expect(rollout.answer).toBe('Borfield');
  });

  it('and none of what was put in is trained', async () => {
    const { segments } = await run();
    const from = segments.findIndex(({ role }) => role === 'hint') - 1;
    expect(
      segments.slice(from, from + 3).map(({ role, source, mask }) => [role, source, mask]),
    ).toEqual([
      ['instruction', 'environment', 0],
      ['hint', 'environment', 0],
      ['instruction', 'environment', 0],
    ]);
    expect(segments[from + 1]!.text).toBe(HINT);
    const said = segments.filter(({ mask }) => mask === 1).map(({ text }) => text);
    expect(said.join('')).toBe(`${GIVEN_UP}${tokenizer.decode([tokenizer.endOfText])}${ANSWER}`);
  });
});

it('a template that begins the thought begins it again', async () => {
  const { tokenizer, chat } = family('qwen');
  const thinking: PolicyChat = { render: (messages) => `${chat.render(messages)}<think>\n` };
  const steps = ['x</think> I give up', ' done</think><short_answer> \\boxed{ B }</short_answer>'];
  const ids = steps.map((step) => tokenizer.encodeText(step));
  const policy = new ScriptedTokens(tokenizer, ids, thinking);
  const rollout = await runText({ policy, overrides: LIMITS });
  expect(eventsOf(rollout, 'think').map(({ text }) => text)).toEqual(['x', 'done']);
  expect(rollout.answer).toBe('B');
});

it('without room for a turn the hint stands alone', async () => {
  const { tokenizer, chat } = family('qwen');
  // Some 60 tokens of a template against 30 of the hint.
  const wide: PolicyChat = {
    render: (messages) =>
      chat.render(messages).replaceAll('user\n', `user\n${' wide'.repeat(300)}`),
  };
  const policy = new ScriptedTokens(tokenizer, [tokenizer.encodeText(GIVEN_UP)], wide);
  const opened = await runText({ policy, overrides: { budgets: { maxFaults: 1 } } });
  policy.info.maxContext = 400 + opened.segments.reduce((sum, { ids }) => sum + ids.length, 0);
  const rollout = await runText({ policy, overrides: LIMITS });
  const at = rollout.segments.findIndex(({ role }) => role === 'hint');
  expect(rollout.segments[at - 1]).toMatchObject({ source: 'policy' });
});

it('a server that takes messages reads it as the user’s', async () => {
  const replies = [GIVEN_UP, ANSWER];
  const backend = new ScriptedBackend(() => tokensOf(replies.shift() ?? ''), 'continue');
  const rollout = await runText({ policy: new TextPolicy(backend) });
  expect(backend.requests[1]!.messages.slice(-2)).toEqual([
    { role: 'assistant', content: GIVEN_UP },
    { role: 'user', content: HINT },
  ]);
  expect(rollout.answer).toBe('Borfield');
});
