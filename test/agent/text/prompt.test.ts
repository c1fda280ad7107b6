import { Template } from '@huggingface/jinja';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { harmless, readTags } from '../../../src/agent/transcript/tags.ts';
import { instructionText } from '../../../src/agent/transcript/instruction.ts';
import { promptFrame } from '../../../src/agent/transcript/prompt.ts';
import { FORM_BLOCKS } from '../../../src/records/form-line.ts';
import { SPECIAL_TOKENS } from '../../../src/records/protocol.ts';
import type { PolicyChat } from '../../../src/policy/policy.ts';
import { getRecipe } from '../../../src/systems/index.ts';
import { withOverrides } from '../../../src/recipes/parts/settings.ts';
import { tokenizer as builtIn } from '../tokenizer.ts';
import { CHAT_TOKENS, wordTokenizer } from './tokenizers.ts';

const CHATML =
  "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content | trim + '<|im_end|>\\n' }}{% endfor %}" +
  "{{ '<|im_start|>assistant\\n' }}";
const NO_SYSTEM = `{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}${CHATML}`;
const DROPS_SYSTEM = CHATML.replace('in messages %}', "in messages if m.role != 'system' %}");
const THINKS = `${CHATML}{{ '<think>\\n' }}`;

function chatOf(source: string): PolicyChat {
  const template = new Template(source);
  return {
    render: (messages) =>
      template.render({ messages: messages.map((message) => ({ ...message })) }),
  };
}

const tags = readTags(wordTokenizer);
const { settings } = getRecipe('search');
const frameOf = (chat?: PolicyChat): { before: string; after: string; opensThought: boolean } => {
  const frame = promptFrame(
    { tokenizer: wordTokenizer, ...(chat ? { chat } : {}) },
    tags,
    settings,
  );
  return {
    before: wordTokenizer.decode(frame.before),
    after: wordTokenizer.decode(frame.after),
    opensThought: frame.opensThought,
  };
};

describe('the instruction', () => {
  it('states the tags and the limits in force', () => {
    const text = instructionText(
      withOverrides(settings, { retrieval: { maxSearches: 1 }, budgets: { tokens: 333 } }),
    );
    for (const tag of [
      '<think>',
      '</search>',
      '<short_answer>',
      '\\boxed{',
      '<result>',
      '<hint>',
    ]) {
      expect(text).toContain(tag);
    }
    expect(text).toContain('up to 1 search and');
    expect(text).toContain('333 tokens');
    expect(text).not.toContain('<web_search>');
    const routed = withOverrides(settings, { retrieval: { source: 'router' } });
    expect(instructionText(routed)).toContain('<web_search>');
  });

  it('says what each further block of a recipe is for, and names no other', () => {
    for (const [id, asked] of [
      ['memory-r1', ['memory']],
      ['interleaved', ['summary']],
      ['after-ctm', ['plan', 'compute']],
      ['ar-bench', ['ask']],
      ['search', []],
    ] as const) {
      const text = instructionText(getRecipe(id).settings);
      for (const block of FORM_BLOCKS)
        expect(text.includes(`<${block}>`), `${id}: ${block}`).toBe(
          (asked as readonly string[]).includes(block),
        );
    }
  });

  it('names the background, both sources and the long answer where the recipe has them', () => {
    const whole = instructionText(getRecipe('kunlun-baize').settings);
    for (const said of [
      '<background>',
      '<local_search>',
      '<web_search>',
      '<long_answer> the sentences \\boxed{',
    ])
      expect(whole).toContain(said);
    const plain = instructionText(getRecipe('search').settings);
    for (const said of ['<background>', '<local_search>']) expect(plain).not.toContain(said);
    expect(plain).toContain('<long_answer>');
  });

  it('says where nothing may be searched, and names no search', () => {
    const text = instructionText(withOverrides(settings, { retrieval: { maxSearches: 0 } }));
    expect(text).toContain('you cannot search');
    for (const tag of ['<think>', '<short_answer>', '\\boxed{']) expect(text).toContain(tag);
    for (const tag of ['<search>', '<result>', '<web_search>']) expect(text).not.toContain(tag);
  });

  it('stands in the chat template, whose text ends where the assistant begins', () => {
    const { before, after } = frameOf(chatOf(CHATML));
    expect(before).toBe(
      `<|im_start|>system\n${instructionText(settings)}<|im_end|>\n<|im_start|>user\n`,
    );
    expect(after).toBe('<|im_end|>\n<|im_start|>assistant\n');
  });

  it.each([NO_SYSTEM, DROPS_SYSTEM])('is the user’s where there is no system: %#', (source) => {
    const { before } = frameOf(chatOf(source));
    expect(before).toBe(`<|im_start|>user\n${instructionText(settings)}\n\n`);
  });

  it('stands alone without a template, and not at all before a policy that was trained', () => {
    expect(frameOf()).toMatchObject({ before: `${instructionText(settings)}\n\n`, after: '\n' });
    const trained = promptFrame({ tokenizer: builtIn }, readTags(builtIn), settings);
    expect(trained).toEqual({ before: [], after: [], opensThought: false });
  });

  it('knows a template that begins the thought', () => {
    expect(frameOf(chatOf(THINKS)).opensThought).toBe(true);
    expect(frameOf(chatOf(CHATML)).opensThought).toBe(false);
  });

  it('refuses a template that loses the user’s message', () => {
    const chat = { render: () => 'nothing' };
    expect(() => promptFrame({ tokenizer: wordTokenizer, chat }, tags, settings)).toThrow(
      'does not show the user',
    );
  });
});

describe('text of users and passages', () => {
  const control = CHAT_TOKENS.map((token) => wordTokenizer.specialId(token));

  it('encodes to no control token', () => {
    const text = fc
      .array(fc.oneof(fc.constantFrom(...CHAT_TOKENS, ...SPECIAL_TOKENS), fc.string()))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (said) => {
        const ids = wordTokenizer.encodeText(said);
        expect(ids.filter((id) => control.includes(id))).toEqual([]);
        const shown = harmless(said);
        expect(shown).toHaveLength(said.length);
        for (const token of [...SPECIAL_TOKENS, ...CHAT_TOKENS]) expect(shown).not.toContain(token);
      }),
    );
  });

  it.each([
    ['<search>x</Search>', '‹search›x‹/Search›'],
    ['< / think >', '‹ / think ›'],
    ['<<search>>', '<‹search›>'],
    ['[INST] a [/INST]', '‹INST› a ‹/INST›'],
    ['<<SYS>> </s> <start_of_turn>', '‹‹SYS›› ‹/s› ‹start_of_turn›'],
    ['<｜Assistant｜>', '‹｜Assistant｜›'],
    ['a < b > c <b>d</b> [1] x<y', 'a < b > c <b>d</b> [1] x<y'],
  ])('%s is shown as %s', (said, shown) => {
    expect(harmless(said)).toBe(shown);
  });
});
