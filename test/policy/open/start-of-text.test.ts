import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { promptFrame } from '../../../src/agent/transcript/prompt.ts';
import { readTags } from '../../../src/agent/transcript/tags.ts';
import { chatTemplateOf } from '../../../src/policy/open/chat-template.ts';
import type { PolicyChat } from '../../../src/policy/policy.ts';
import { HuggingFaceTokenizer } from '../../../src/policy/open/tokenizer.ts';
import { getRecipe } from '../../../src/systems/index.ts';

const fixtures = new URL('../../fixtures/', import.meta.url);
const read = (path: string): object =>
  JSON.parse(readFileSync(new URL(path, fixtures), 'utf8')) as object;

const ids = z.array(z.number());
const { text, cases } = z
  .object({
    text: z.string(),
    cases: z.array(
      z.object({
        base: z.string(),
        post_processor: z.unknown(),
        settings: z.record(z.string(), z.unknown()),
        special: ids,
        plain: ids,
      }),
    ),
  })
  .parse(read('start-of-text/cases.json'));

type Case = (typeof cases)[number];

function open({ base, post_processor, settings }: Case) {
  const config = { ...read(`chat/${base}/tokenizer_config.json`), ...settings };
  const tokenizer = new HuggingFaceTokenizer(
    { ...read(`chat/${base}/tokenizer.json`), post_processor },
    config,
  );
  return { tokenizer, config };
}

const settings = getRecipe('kunlun-baize').settings;

test.each(cases)('$base with $settings begins a text as transformers does', (given) => {
  const { tokenizer } = open(given);
  const before = given.special.slice(0, given.special.indexOf(given.plain[0]!));
  expect(tokenizer.encodeText(text)).toEqual(given.plain);
  expect(tokenizer.startOfText === undefined ? [] : [tokenizer.startOfText]).toEqual(before);
  const frame = promptFrame({ tokenizer }, readTags(tokenizer), settings);
  expect(frame.before.slice(0, before.length)).toEqual(before);
  if (before.length === 0) expect(tokenizer.decode(frame.before)).toMatch(/^[A-Z]/);
});

test('some of them begin with a special token, and some do not', () => {
  expect(cases.map((given) => open(given).tokenizer.startOfText !== undefined)).toEqual([
    true,
    true,
    false,
    false,
    true,
    false,
    false,
  ]);
});

test('where there is a chat template it alone writes the token, once', () => {
  const { tokenizer, config } = open(cases[0]!);
  const source = readFileSync(new URL('chat/llama3/chat_template.jinja', fixtures), 'utf8');
  const template = chatTemplateOf(config, source)!;
  const chat: PolicyChat = {
    render: (messages) => template.render(messages, { addGenerationPrompt: true }),
  };
  const { before } = promptFrame({ tokenizer, chat }, readTags(tokenizer), settings);
  expect(before[0]).toBe(tokenizer.startOfText);
  expect(before.filter((id) => id === tokenizer.startOfText)).toHaveLength(1);
});
