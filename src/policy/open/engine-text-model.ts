import type { Policy } from '../policy.ts';
import type { ChatMessage, CompletionOptions, TextModel } from '../text-model.ts';

/**
 * A policy of the engine as judge or summarizer: messages through its own chat template, one answer.
 * @throws Error where the checkpoint has no chat template
 */
export function engineTextModel(policy: Policy): TextModel {
  const { chat, tokenizer, info } = policy;
  if (!chat || !tokenizer.encodeTemplate)
    throw new Error(
      `${info.id} has no chat template, so it cannot be asked to judge or summarize; choose an instruction-tuned checkpoint or a server.`,
    );
  return {
    id: `${info.id}@${info.revision}`,
    async complete(messages: readonly ChatMessage[], options: CompletionOptions): Promise<string> {
      const { maxTokens, temperature, stop = [], seed = 0, signal, onUse } = options;
      const session = await policy.open(seed);
      try {
        const prompt = tokenizer.encodeTemplate?.(chat.render(messages)) ?? [];
        session.append(prompt);
        const { ids } = await session.generate({
          maxTokens,
          stopIds: tokenizer.endIds ?? [tokenizer.endOfText],
          stopTexts: stop,
          sampling: { temperature, topK: 0, topP: 1 },
          ...(signal && { signal }),
        });
        signal?.throwIfAborted();
        onUse?.({ prompt: prompt.length, completion: ids.length });
        const ends = new Set(tokenizer.endIds ?? [tokenizer.endOfText]);
        const text = tokenizer.decode(ids.filter((id) => !ends.has(id)));
        const cut = stop.map((word) => text.indexOf(word)).filter((at) => at >= 0);
        return cut.length > 0 ? text.slice(0, Math.min(...cut)) : text;
      } finally {
        session.close();
      }
    },
  };
}
