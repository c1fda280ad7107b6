import { readdirSync, readFileSync } from 'node:fs';
import { OnnxEncoder } from '../../../src/retrieval/encoder/encoder.ts';
import { EncoderError } from '../../../src/retrieval/encoder/errors.ts';
import type { OrtModule } from '../../../src/retrieval/encoder/runtime.ts';
import { OnnxReranker } from '../../../src/retrieval/encoder/reranker.ts';
import {
  withManifest,
  type ModelFolder,
} from '../../../src/retrieval/encoder/sentence-transformers.ts';
import { kindOf } from '../../../src/lab/models/encoder-host.ts';
import { mutateJsonFile, pick } from './mutate.ts';
import { must, subject, type Subject } from './subject.ts';
import { TEXTS } from './checkpoints.ts';

/** Folders of encoders and cross-encoders: settings, manifests, tokenizers (WordPiece and Unigram). */

const FOLDERS = ['bert-encoder', 'bert-cross', 'xlmr-cross'] as const;

function filesOf(name: string): Map<string, Uint8Array> {
  const folder = new URL(`../../fixtures/encoders/${name}/`, import.meta.url);
  return new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.\w+$/.test(file))
      .map((file) => [file, new Uint8Array(readFileSync(new URL(file, folder)))] as const),
  );
}

const WHOLE = FOLDERS.map((name) => ({ name, files: filesOf(name) }));

/** Stands for the runtime: what is damaged here is read before, and after it. */
const ort = (kind: 'encoder' | 'reranker'): OrtModule => {
  const session = {
    inputNames: ['input_ids', 'attention_mask', 'token_type_ids'],
    outputNames: ['output'],
    release: () => Promise.resolve(),
    run: (inputs: Record<string, { dims: readonly number[] }>) => {
      const [rows = 0, length = 0] = inputs['input_ids']?.dims ?? [];
      const dims = kind === 'encoder' ? [rows, length, 32] : [rows, 1];
      const data = new Float32Array(dims.reduce((a, b) => a * b, 1));
      return Promise.resolve({ output: { type: 'float32', data, dims } });
    },
  };
  class Tensor {
    readonly dims: readonly number[];
    constructor(_type: string, _values: unknown, dims: readonly number[]) {
      this.dims = dims;
    }
  }
  return {
    InferenceSession: { create: () => Promise.resolve(session) },
    Tensor,
  } as unknown as OrtModule;
};

interface Broken {
  folder: ModelFolder;
}

async function open({ folder }: Broken): Promise<void> {
  const kind = await kindOf(folder);
  const read = await withManifest(folder, kind);
  if (kind === 'encoder') {
    const encoder = await OnnxEncoder.open(read, async () => ort(kind));
    const vector = await encoder.encodeQuery(TEXTS[0]);
    must(vector.length === encoder.dimensions, 'a vector of another length');
    return;
  }
  const reranker = await OnnxReranker.open(read, ort(kind));
  await reranker.scorePairs([[TEXTS[0], TEXTS[1]]]);
}

/** JSON and files that are missing are recognised by their readers. */
const isTyped = (error: unknown): boolean =>
  error instanceof EncoderError ||
  (error instanceof Error && /: (?:not valid JSON|not in the folder)$/.test(error.message));

const folderWith = (pattern: RegExp, name: string): Subject =>
  subject<Broken>({
    name,
    unit: 300,
    make: (random) => {
      const { name: title, files } = pick(random, WHOLE);
      const names = [...files.keys()].filter((file) => pattern.test(file));
      const file = pick(random, names);
      const broken = new Map([...files, [file, mutateJsonFile(files.get(file)!, random)]]);
      const read = (asked: string) => {
        const bytes = broken.get(asked);
        return bytes
          ? Promise.resolve(bytes)
          : Promise.reject(new Error(`${asked}: not in the folder`));
      };
      return { folder: { name: title, files: [...broken.keys()], read } };
    },
    read: open,
    refuses: isTyped,
  });

export const ENCODER_SUBJECTS: readonly Subject[] = [
  folderWith(/^tokenizer\.json$/, 'encoder: tokenizer.json'),
  folderWith(/^(?!expected|tokenizer\.json).*\.json$/, 'encoder: settings and manifest'),
];
