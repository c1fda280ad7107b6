import { loadChatTemplate } from './chat-template.ts';
import type { CheckpointFiles } from '../checkpoint/checkpoint-files.ts';
import { loadTokenizer } from './load.ts';
import type { PolicyChat, PolicyTokenizer } from '../policy.ts';

/** What turns text into tokens and messages into text; its calls are synchronous. */
export interface CheckpointReader {
  tokenizer: PolicyTokenizer;
  /** Absent where the checkpoint has no chat template. */
  chat?: PolicyChat;
}

/**
 * The tokenizer of a checkpoint, and its chat template where it has one.
 * @throws CheckpointError or ChatTemplateError that names the file at fault
 */
export async function openReader(files: CheckpointFiles): Promise<CheckpointReader> {
  const template = await loadChatTemplate(files);
  return {
    tokenizer: await loadTokenizer(files),
    ...(template && {
      chat: {
        render: (messages, tools) =>
          template.render(messages, { addGenerationPrompt: true, ...(tools && { tools }) }),
      },
    }),
  };
}
