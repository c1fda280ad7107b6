import { CheckpointError } from '../checkpoint/checkpoint-error.ts';
import type { CheckpointFiles } from '../checkpoint/checkpoint-files.ts';
import { type ChatTemplate, ChatTemplateError, loadChatTemplate } from './chat-template.ts';
import { loadTokenizer } from './load.ts';
import type { PolicyChat, PolicyTokenizer } from '../policy.ts';

/** What turns text into tokens and messages into text; its calls are synchronous. */
export interface CheckpointReader {
  tokenizer: PolicyTokenizer;
  /** Absent where the checkpoint has no chat template. */
  chat?: PolicyChat;
}

const JINJA = 'chat_template.jinja';

/** The chat template of a checkpoint. @throws CheckpointError where it does not render a question */
export async function workingTemplate(files: CheckpointFiles): Promise<ChatTemplate | null> {
  try {
    const template = await loadChatTemplate(files);
    template?.render([{ role: 'user', content: 'Hello' }], { addGenerationPrompt: true });
    return template;
  } catch (error) {
    if (!(error instanceof ChatTemplateError)) throw error;
    const why = error.message.replace(/^chat template: /, '');
    const ofFolder = (await files.size(JINJA)) === null ? 'tokenizer_config.json' : JINJA;
    throw new CheckpointError(
      files.main ?? ofFolder,
      `its chat template does not render (${why})`,
      'Use another file of this model',
    );
  }
}

/** The tokenizer of a checkpoint, and its chat template where it has one. @throws CheckpointError */
export async function openReader(files: CheckpointFiles): Promise<CheckpointReader> {
  const template = await workingTemplate(files);
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
