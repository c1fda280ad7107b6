import type { z } from 'zod';
import { issueOf, messageOf } from '../../base/errors.ts';
import { parseJson, type FetchFile } from '../../base/fetch-file.ts';
import { EncoderError } from './errors.ts';
import type { EncoderDevice, OrtModule } from './runtime.ts';
import { TextTemplate } from './template.ts';
import { TextModelSession } from './text-model-session.ts';
import { openTokenizer } from './tokens.ts';

/** What encoders and cross-encoders have in common: a checked manifest, a session, a template. */
export interface OpenedTextModel<Manifest> {
  manifest: Manifest;
  session: TextModelSession;
  template: TextTemplate;
}

/**
 * Reads and checks the folder of an ONNX text model.
 * @param attempt a first use of the template, so that a wrong one fails now and not at the first text
 * @throws EncoderError that names the file at fault
 */
export async function openTextModel<
  Manifest extends { model: string; tokenizer: string; output?: string },
>(
  fetchFile: FetchFile,
  ort: OrtModule,
  device: EncoderDevice,
  {
    schema,
    file,
    attempt,
  }: {
    schema: z.ZodType<Manifest>;
    file: string;
    attempt: (template: TextTemplate, manifest: Manifest) => unknown;
  },
): Promise<OpenedTextModel<Manifest>> {
  const parsed = schema.safeParse(parseJson(await fetchFile(file, { index: true }), file));
  if (!parsed.success) throw new EncoderError(`${file}: ${issueOf(parsed.error)}`);
  const manifest = parsed.data;
  const { model, tokenizer, output } = manifest;
  const [bytes, tokenizerFile] = await Promise.all([fetchFile(model), fetchFile(tokenizer)]);
  // Before the session, which would have to be given up where the template is wrong.
  const template = new TextTemplate(openTokenizer(parseJson(tokenizerFile, tokenizer), tokenizer));
  try {
    attempt(template, manifest);
  } catch (cause) {
    const why = messageOf(cause);
    throw new EncoderError(`${tokenizer}: ${why}`, { cause });
  }
  const session = await TextModelSession.open(ort, device, {
    name: model,
    bytes,
    ...(output !== undefined && { output }),
  });
  return { manifest, session, template };
}
