import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ToolSchema } from '../../../src/policy/text-model.ts';
import { ALL_TESTS } from '../../slow/slow.ts';
import { checkConversations } from './tool-conversations.ts';
import { FAMILIES, templateOf } from './tool-families.ts';

it.each(FAMILIES)('the published template of $name holds conversations with tools', (family) =>
  checkConversations(family, ALL_TESTS ? 200 : 25),
);

const message = z.union([
  z.strictObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string(),
    tool_calls: z.array(
      z.object({
        id: z.string(),
        type: z.literal('function'),
        function: z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) }),
      }),
    ),
  }),
  z.strictObject({
    role: z.literal('tool'),
    content: z.string(),
    name: z.string(),
    tool_call_id: z.string(),
  }),
]);
const python = z
  .object({
    today: z.string(),
    tools: z.array(z.custom<ToolSchema>()),
    chats: z.array(z.array(message)),
    texts: z.record(z.string(), z.array(z.string().nullable())),
  })
  .parse(
    JSON.parse(
      readFileSync(new URL('../../fixtures/tool-chat/expected.json', import.meta.url), 'utf8'),
    ),
  );

describe.each(FAMILIES)('conversations with tools in the template of $name', (family) => {
  it("are rendered as Python's apply_chat_template renders them", () => {
    const template = templateOf(family);
    const rendered = python.chats.flatMap((messages) =>
      [python.tools, []].map((tools) => {
        try {
          return template.render(messages, {
            addGenerationPrompt: messages.at(-1)?.role !== 'assistant',
            now: new Date(`${python.today}T12:00:00`),
            tools,
          });
        } catch {
          return null;
        }
      }),
    );
    expect(rendered).toEqual(python.texts[family.name]);
  });
});
