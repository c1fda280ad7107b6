import type { z } from 'zod';
import { issueOf, messageOf } from '../../base/errors.ts';
import { parseJson, type FetchFile } from '../../base/fetch-file.ts';
import { EncoderError } from './errors.ts';
import type { EncoderDevice, OrtModule } from './runtime.ts';
import { TextTemplate } from './template.ts';
import { TextModelSession } from './text-model-session.ts';
import { openTokenizer } from './tokens.ts';

/** The files of a text model's folder, checked. */
export interface TextModelFiles<Manifest> {
  manifest: Manifest;
  /** Of the ONNX file. */
  bytes: Uint8Array;
  template: TextTemplate;
}

interface TextModelKind<Manifest> {
  schema: z.ZodType<Manifest>;
  file: string;
  /** A first use of the template, so that a wrong one fails now and not at the first text. */
  attempt: (template: TextTemplate, manifest: Manifest) => unknown;
}

interface TextModelManifest {
  model: string;
  tokenizer: string;
  output?: string;
}

/**
 * Reads and checks the folder of an ONNX text model: an encoder or a cross-encoder.
 * @throws EncoderError that names the file at fault
 */
export async function readTextModel<Manifest extends TextModelManifest>(
  fetchFile: FetchFile,
  { schema, file, attempt }: TextModelKind<Manifest>,
): Promise<TextModelFiles<Manifest>> {
  const parsed = schema.safeParse(parseJson(await fetchFile(file, { index: true }), file));
  if (!parsed.success) throw new EncoderError(`${file}: ${issueOf(parsed.error)}`);
  const manifest = parsed.data;
  const { model, tokenizer } = manifest;
  const [bytes, tokenizerFile] = await Promise.all([fetchFile(model), fetchFile(tokenizer)]);
  // Before the session, which would have to be given up where the template is wrong.
  const template = new TextTemplate(openTokenizer(parseJson(tokenizerFile, tokenizer), tokenizer));
  try {
    attempt(template, manifest);
  } catch (cause) {
    const why = messageOf(cause);
    throw new EncoderError(`${tokenizer}: ${why}`, { cause });
  }
  return { manifest, bytes, template };
}

/** @throws EncoderError that names the file, the output or the input that is at fault */
export const openSession = (
  { manifest: { model, output }, bytes }: TextModelFiles<TextModelManifest>,
  ort: OrtModule,
  device: EncoderDevice,
): Promise<TextModelSession> =>
  TextModelSession.open(ort, device, {
    name: model,
    bytes,
    output,
  });
