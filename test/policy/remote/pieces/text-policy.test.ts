import { describe, expect, it } from 'vitest';
import type { GenerateOptions, PolicySession } from '../../../../src/policy/policy.ts';
import { Echo } from '../../../../src/policy/remote/text-policy.ts';
import { CLOSE_IT, GO_ON } from '../../../../src/policy/remote/text-policy.ts';
import type { TextChunk, Turns } from '../../../../src/policy/remote/text-backend.ts';
import { TextPolicy } from '../../../../src/policy/remote/text-policy.ts';
import { INFO, ScriptedBackend, tokensOf, type Reply } from './scripted-backend.ts';

const sampling = { temperature: 0.7, topK: 20, topP: 0.9 };
const asked = (more: Partial<GenerateOptions> = {}): GenerateOptions => ({
  maxTokens: 50,
  stopIds: [0],
  sampling,
  ...more,
});

async function opened(
  reply: Reply,
  turns: Turns = 'none',
): Promise<{ backend: ScriptedBackend; policy: TextPolicy; session: PolicySession }> {
  const backend = new ScriptedBackend(reply, turns);
  const policy = new TextPolicy(backend);
  return { backend, policy, session: await policy.open(3) };
}

const plain = (text: string): TextChunk[] => [{ text }];

describe('a policy over text', () => {
  it('sends all text so far and keeps what came', async () => {
    const { backend, policy, session } = await opened(() => tokensOf(' one two', 4));
    const text = (ids: readonly number[]): string => policy.tokenizer.decode(ids);
    session.append(policy.tokenizer.encodeText('Count:'));
    const first = await session.generate(asked());
    expect(text(first.ids)).toBe(' one two');
    expect(first).toMatchObject({ finish: 'stop', logprobs: [-0.25, -0.25], entropies: [] });
    // The end of the turn has an id, but no text and no log-probability.
    expect(first.ids.at(-1)).toBe(policy.tokenizer.endOfText);
    session.append(policy.tokenizer.encodeText(' and'));
    await session.generate(asked());
    expect(backend.requests.map(({ prefix }) => prefix)).toEqual(['Count:', 'Count: one two and']);
    expect(backend.requests[0]).toMatchObject({ maxTokens: 50, ...sampling, messages: [] });
    expect(new Set(backend.requests.map(({ seed }) => seed)).size).toBe(2);
  });

  it('ends at a stop text, with the token that holds it, and ends the request', async () => {
    const chunks = ['<sea', 'rch> q</se', 'arch>\n', ' more'].map((text) => ({
      text,
      logprob: -1,
    }));
    const { backend, policy, session } = await opened(() => chunks);
    const generated = await session.generate(asked({ stopTexts: ['</search>'] }));
    expect(policy.tokenizer.decode(generated.ids)).toBe('<search> q</search>\n');
    expect(generated).toMatchObject({ finish: 'stop', logprobs: [-1, -1, -1] });
    expect(backend.left).toBe(1);
  });

  it('cuts text without tokens right behind the stop text', async () => {
    const { policy, session } = await opened(() => plain('<search> q</search> and more'));
    const generated = await session.generate(asked({ stopTexts: ['</search>'] }));
    expect(policy.tokenizer.decode(generated.ids)).toBe('<search> q</search>');
    expect(generated.logprobs).toEqual([]);
  });

  it('tells limits apart', async () => {
    const long = await opened(() => tokensOf('x'.repeat(400), 4));
    expect(await long.session.generate(asked({ maxTokens: 5 }))).toMatchObject({
      finish: 'length',
      logprobs: Array.from({ length: 5 }, () => -0.25),
    });
    const told = await opened(() => [{ text: 'a' }, { text: '', finish: 'length' }]);
    expect(await told.session.generate(asked())).toMatchObject({ finish: 'length' });
    const backend = new ScriptedBackend(() => tokensOf('x'.repeat(400), 4), 'none', {
      ...INFO,
      maxContext: 7,
    });
    const full = await new TextPolicy(backend).open(1);
    expect(await full.generate(asked())).toMatchObject({ finish: 'context' });
    expect(full.length).toBe(7);
    expect(await full.generate(asked({ maxTokens: 0 }))).toMatchObject({ ids: [] });
    expect(backend.requests).toHaveLength(1);
  });

  it('has no log-probabilities at all where one token lacks its own', async () => {
    const { session } = await opened(() => [{ text: 'a', logprob: -1 }, { text: 'b' }]);
    expect((await session.generate(asked())).logprobs).toEqual([]);
  });

  it('is aborted by the signal and by closing', async () => {
    const controller = new AbortController();
    const { session } = await opened(function* () {
      yield { text: 'a' };
      controller.abort();
      yield { text: 'b' };
    });
    const cut = await session.generate(asked({ signal: controller.signal }));
    expect(cut).toMatchObject({ finish: 'abort' });
    expect(cut.ids).toHaveLength(1);
    const closing = await opened(function* () {
      yield { text: 'a' };
      closing.session.close();
      yield { text: 'b' };
    });
    expect(await closing.session.generate(asked())).toMatchObject({ finish: 'abort' });
    await expect(closing.session.generate(asked())).rejects.toThrow('closed');
  });

  it('hands on what a backend says went wrong', async () => {
    const { session } = await opened(() => {
      throw new Error('401: the key was refused');
    });
    await expect(session.generate(asked())).rejects.toThrow('401: the key was refused');
    await expect(session.generate(asked())).rejects.toThrow('401');
  });

  it('forks with the same past and another seed', async () => {
    const { backend, policy, session } = await opened(() => plain(' x'));
    session.append(policy.tokenizer.encodeText('past'));
    const fork = await session.fork(9);
    fork.append(policy.tokenizer.encodeText(' forked'));
    await Promise.all([session.generate(asked()), fork.generate(asked())]);
    expect(backend.requests.map(({ prefix }) => prefix).toSorted()).toEqual([
      'past',
      'past forked',
    ]);
    expect(new Set(backend.requests.map(({ seed }) => seed)).size).toBe(2);
  });
});

describe('messages', () => {
  async function conversation(turns: Turns): Promise<ScriptedBackend> {
    const replies = ['<search> q</search>', ' x', ' y'];
    const { backend, policy, session } = await opened(() => plain(replies.shift() ?? ''), turns);
    const { tokenizer, chat } = policy;
    const rendered = chat?.render([
      { role: 'system', content: 'Rules.' },
      { role: 'user', content: 'Q' },
    ]);
    session.append(tokenizer.encodeTemplate(rendered ?? ''));
    const more = asked({ stopTexts: ['</search>', ' x'] });
    await session.generate(more);
    session.append(tokenizer.encodeText('<result> <|user|> r</result>'));
    await session.generate(more);
    await session.generate(more);
    return backend;
  }
  const rules = { role: 'system', content: 'Rules.' };
  const question = { role: 'user', content: 'Q' };

  it('are one turn of the assistant’s where the server continues it', async () => {
    const { requests } = await conversation('continue');
    expect(requests.map(({ messages }) => messages)).toEqual([
      [rules, question],
      [
        rules,
        question,
        { role: 'assistant', content: '<search> q</search><result> <|user|> r</result>' },
      ],
      [
        rules,
        question,
        { role: 'assistant', content: '<search> q</search><result> <|user|> r</result> x' },
      ],
    ]);
  });

  it('alternate where it does not, and ask to go on behind the model’s own word', async () => {
    const { requests } = await conversation('alternate');
    const second = [
      rules,
      question,
      { role: 'assistant', content: '<search> q</search>' },
      { role: 'user', content: '<result> <|user|> r</result>' },
    ];
    expect(requests.map(({ messages }) => messages)).toEqual([
      [rules, question],
      second,
      [...second, { role: 'assistant', content: ' x' }, { role: 'user', content: GO_ON }],
    ]);
  });

  it('hold an opened answer once, though a model repeats it', async () => {
    for (const repeated of ['<short_answer> \\boxed{', '<short_answer>\\boxed{ ', '']) {
      const said = `${repeated}Borfield }</short_answer>`;
      const { backend, policy, session } = await opened(() => tokensOf(said, 3), 'alternate');
      const { tokenizer } = policy;
      session.append(tokenizer.encodeText('<hint> now</hint><short_answer> \\boxed{'));
      const { ids } = await session.generate(asked({ stopTexts: ['</short_answer>'] }));
      expect(tokenizer.decode(ids).trim()).toBe('Borfield }</short_answer>');
      expect(backend.requests[0]?.messages).toEqual([
        {
          role: 'user',
          content: `<hint> now</hint><short_answer> \\boxed{\n\n${CLOSE_IT}`,
        },
      ]);
    }
  });
});

describe('an echo', () => {
  it('is cut only where it is whole', () => {
    const echo = new Echo('<short_answer> \\boxed{');
    expect([echo.push('<short'), echo.push('er> x'), echo.end()]).toEqual(['', '<shorter> x', '']);
    const rest = new Echo('<short_answer> \\boxed{');
    expect([rest.push(' <short_'), rest.end()]).toEqual(['', ' <short_']);
    expect(new Echo('<result> r</result>').undecided).toBe(false);
  });
});
