import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { leastCpuMs } from '../../fuzz/subjects/cost.ts';
import { z } from 'zod';
import { memoryFiles } from '../../../src/policy/checkpoint/checkpoint-files.ts';
import {
  ChatTemplate,
  ChatTemplateError,
  chatTemplateOf,
  loadChatTemplate,
} from '../../../src/policy/open/chat-template.ts';
import { loadTokenizer } from '../../../src/policy/open/load.ts';

const schema = z.object({
  texts: z.array(
    z.object({ text: z.string(), plain: z.array(z.number()), special: z.array(z.number()) }),
  ),
  chats: z.array(
    z.object({
      messages: z.array(
        z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() }),
      ),
      prompt: z.boolean(),
      variables: z.record(z.string(), z.boolean()),
      text: z.string(),
      ids: z.array(z.number()),
    }),
  ),
});

const folderOf = (name: string) => {
  const folder = new URL(`../../fixtures/chat/${name}/`, import.meta.url);
  return new Map(
    readdirSync(folder).map((file) => [file, new Uint8Array(readFileSync(new URL(file, folder)))]),
  );
};

describe.each(['llama3', 'qwen', 'smollm'])('a checkpoint of the %s kind', (name) => {
  const files = folderOf(name);
  const checkpoint = memoryFiles(files);
  const expected = schema.parse(JSON.parse(new TextDecoder().decode(files.get('expected.json'))));

  it('splits texts into the ids of Python, special tokens recognised or not', async () => {
    const tokenizer = await loadTokenizer(checkpoint);
    for (const { text, plain, special } of expected.texts) {
      expect(tokenizer.encodeText(text), text).toEqual(plain);
      expect(tokenizer.encodeTemplate(text), text).toEqual(special);
    }
  });

  it('renders conversations as apply_chat_template does, to the same ids', async () => {
    const tokenizer = await loadTokenizer(checkpoint);
    const template = (await loadChatTemplate(checkpoint))!;
    for (const { messages, prompt, variables, text, ids } of expected.chats) {
      const rendered = template.render(messages, { addGenerationPrompt: prompt, variables });
      expect(rendered).toBe(text);
      expect(tokenizer.encodeTemplate(rendered)).toEqual(ids);
    }
  });

  it('ends a turn with every id that its files name', async () => {
    const tokenizer = await loadTokenizer(checkpoint);
    const ends = {
      llama3: ['<|eot_id|>', '<|end_of_text|>'],
      qwen: ['<|im_end|>', '<|endoftext|>'],
      smollm: ['<|im_end|>'],
    }[name]!;
    expect(tokenizer.endIds).toEqual(ends.map((token) => tokenizer.specialId(token)));
    expect(tokenizer.endOfText).toBe(tokenizer.endIds[0]);
  });
});

const user = [{ role: 'user', content: 'hello' } as const];
const plain = { addGenerationPrompt: false };
const render = (source: string): string => new ChatTemplate(source).render(user, plain);

describe('the template of a checkpoint', () => {
  it('is the default of several, and the file before the settings', () => {
    const settings = {
      chat_template: [
        { name: 'tool_use', template: 'tools' },
        { name: 'default', template: '{{ bos_token }}{{ eos_token }}default' },
      ],
      bos_token: { content: '<s>' },
      eos_token: '</s>',
    };
    expect(chatTemplateOf(settings)!.render(user, plain)).toBe('<s></s>default');
    expect(chatTemplateOf(settings, 'file')!.render(user, plain)).toBe('file');
    expect(chatTemplateOf({})).toBeNull();
  });

  it('may tell the date', () => {
    const template = new ChatTemplate('{{ strftime_now("%d %b %Y, 100%%") }}');
    const now = new Date(2024, 6, 6);
    expect(template.render(user, { ...plain, now })).toBe('06 Jul 2024, 100%');
  });

  it('of Gemma puts a system turn before the first question, and has no other roles', () => {
    const source = readFileSync(
      new URL('../../fixtures/tool-chat/gemma3.jinja', import.meta.url),
      'utf8',
    );
    const gemma = new ChatTemplate(source, { bos_token: '<bos>' });
    const asked = [
      { role: 'system', content: 'Search first.' },
      { role: 'user', content: ' Who? ' },
      { role: 'assistant', content: 'Ada' },
      { role: 'user', content: 'When?' },
    ] as const;
    const turn = (role: string, text: string): string =>
      `<start_of_turn>${role}\n${text}<end_of_turn>\n`;
    const turns = [
      turn('user', 'Search first.\n\nWho?'),
      turn('model', 'Ada'),
      turn('user', 'When?'),
    ];
    expect(gemma.render(asked, { addGenerationPrompt: true })).toBe(
      `<bos>${turns.join('')}<start_of_turn>model\n`,
    );
    const twice = [asked[1], asked[3]];
    expect(() => gemma.render(twice, plain)).toThrow(/Conversation roles must alternate/);
  });

  it('may refuse a conversation, in its own words', () => {
    expect(() => render('{{ raise_exception("roles must alternate") }}')).toThrow(
      new ChatTemplateError('chat template: roles must alternate'),
    );
  });
});

describe('a hostile template', () => {
  const doubling =
    '{% set ns = namespace(s="aaaaaaaa") %}{% for i in range(200) %}BODY{% endfor %}';
  it.each([
    [
      'loops',
      '{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}',
      /does too much/,
    ],
    ['long ranges', '{% for a in range(10**12) %}{% endfor %}', /range\(\) has more than/],
    ['endless ranges', '{% for a in range(0, 5, 0) %}{% endfor %}', /range\(\)/],
    [
      'doubling texts',
      doubling.replace('BODY', '{% set ns.s = ns.s ~ ns.s %}'),
      /characters|too long/,
    ],
    [
      'doubling lists',
      doubling.replace('BODY', '{% set ns.s = [ns.s, ns.s] %}{{ ns.s }}'),
      /characters|too long|deep/,
    ],
    [
      'long output',
      '{% for a in range(9999) %}{{ messages[0].content * 1 }}{% endfor %}',
      /chat template/,
    ],
    [
      'multiplying replacements',
      `{{ "${'a'.repeat(3000)}" | replace("a", "${'b'.repeat(3000)}") }}`,
      /filter or method/,
    ],
    [
      'multiplying methods',
      `{{ "${'a'.repeat(3000)}".replace("a", "${'b'.repeat(3000)}") }}`,
      /filter or method/,
    ],
    [
      'multiplying replacements from a list',
      `{{ "${'a'.repeat(3000)}".replace(*["a", "${'b'.repeat(3000)}"]) }}`,
      /filter or method/,
    ],
    [
      'long separators',
      `{{ range(9000) | list | join("${'b'.repeat(300)}") }}`,
      /filter or method/,
    ],
    ['wide JSON', '{{ messages | tojson(indent=100000000) }}', /filter or method/],
    [
      'lists that are kept',
      '{% set ns = namespace(a=[]) %}{% for i in range(9999) %}{% set ns.a = ns.a + [range(9999)] %}{% endfor %}',
      /too many characters|too long|too much/,
    ],
    ['wide indents', '{{ "a\nb" | indent(width=1000000000) }}', /filter or method/],
    ['deep recursion', '{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}', /chat template/],
    ['deep brackets', `{{ ${'('.repeat(50_000)}1${')'.repeat(50_000)} }}`, /chat template/],
    ['its length', 'a'.repeat(300_000), /at most 262144 are read/],
    ['broken syntax', '{% for a in %}', /chat template/],
    ['unknown names', '{{ nothing.at.all() }}', /chat template/],
  ])('cannot harm by %s', async (_, source, message) => {
    let thrown: unknown = null;
    try {
      render(source);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ChatTemplateError);
    expect((thrown as Error).message).toMatch(message);
    expect((thrown as Error).message.length).toBeLessThan(400);
    const again = (): void => {
      expect(() => render(source)).toThrow();
    };
    expect(await leastCpuMs(again, 1000)).toBeLessThan(2500);
  });
});
