import { EncoderError } from '../../../retrieval/encoder/errors.ts';
import { z } from 'zod';
import { parseJson } from '../../../base/fetch-file.ts';
import { ENCODER_MANIFEST, RERANKER_MANIFEST } from '../../../retrieval/encoder/manifest.ts';
import {
  isSentenceTransformer,
  type ModelFolder,
} from '../../../retrieval/encoder/sentence-transformers.ts';
import type { EncoderKind, FolderFile } from '../../contract/encoders.ts';

/** Files of a folder as the browser gives them: each path begins with the folder's own name. */
export function folderOfFiles(files: readonly FolderFile[]): ModelFolder {
  const paths = files.map(({ path }) => path.replace(/^\//, '').split('/'));
  const top = paths[0]?.[0] ?? '';
  const shared = top !== '' && paths.every((path) => path.length > 1 && path[0] === top);
  const blobs = new Map(
    files.map(({ blob }, i) => [(shared ? paths[i]!.slice(1) : paths[i]!).join('/'), blob]),
  );
  return {
    name: shared ? top : 'encoder',
    files: [...blobs.keys()],
    read: async (name) => {
      const blob = blobs.get(name);
      if (!blob) throw new EncoderError(`${name}: not in the folder`);
      return new Uint8Array(await blob.arrayBuffer());
    },
  };
}

const configSchema = z.object({ architectures: z.array(z.string()).default([]) });

/**
 * Whether a folder holds an encoder or a cross-encoder.
 * @throws Error that says what such a folder has
 */
export async function kindOf(folder: ModelFolder): Promise<EncoderKind> {
  const { files } = folder;
  if (files.includes(ENCODER_MANIFEST) || isSentenceTransformer(folder)) return 'encoder';
  if (files.includes(RERANKER_MANIFEST)) return 'reranker';
  if (files.includes('config.json')) {
    const config = configSchema.safeParse(
      parseJson(await folder.read('config.json'), 'config.json'),
    );
    if (config.data?.architectures.some((name) => name.endsWith('ForSequenceClassification')))
      return 'reranker';
  }
  throw new EncoderError(
    `${folder.name} is neither an encoder (modules.json, as sentence-transformers saves it, or encoder.json) ` +
      'nor a cross-encoder (config.json of a …ForSequenceClassification, or reranker.json). Choose the whole folder.',
  );
}
