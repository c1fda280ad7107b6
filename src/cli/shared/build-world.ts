import { createRequire } from 'node:module';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { OnnxEncoder } from '../../retrieval/encoder/encoder.ts';
import { loadOrt, ORT_WASM_FILE, type OrtModule } from '../../retrieval/encoder/runtime.ts';
import type { FetchFile } from '../../base/fetch-file.ts';
import type { WorldManifest } from '../../retrieval/world/manifest.ts';
import type { PassageEncoder } from '../../retrieval/sources.ts';
import { recordsOf, writeWorld, type WriteFile } from '../../retrieval/world/write.ts';
import type { WebKind } from '../../world/pages/corpora.ts';
import { generateWorld, SHIPPED_SEED } from '../../world/world.ts';
import { messageOf } from '../../base/errors.ts';
import { makeFolders } from './path-fault.ts';
import { PACKED, projectPath } from './paths.ts';
import { writeSafely } from './write-safely.ts';

/** Generates a world and writes its folder; without an encoder it has no vectors. */
export function buildWorld(
  made: { seed: number; web?: WebKind },
  write: WriteFile,
  encoder: PassageEncoder | null,
  onProgress?: (done: number, total: number) => void,
): Promise<WorldManifest> {
  return writeWorld(recordsOf(generateWorld(made)), write, encoder, onProgress);
}

/** Files below a folder of the disk. */
export const fetchFromDisk =
  (folder: string): FetchFile =>
  async (name, { signal } = {}) => {
    const bytes = await readFile(join(folder, name), { signal });
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };

/** Writes files below a folder, making the folders that are missing. */
export const writeToDisk =
  (folder: string): WriteFile =>
  async (name, bytes) => {
    const path = join(folder, name);
    makeFolders(dirname(path));
    writeSafely(path, bytes);
  };

const ortOfPackage = (): string => {
  const script = createRequire(import.meta.url).resolve('onnxruntime-web/wasm');
  return join(dirname(script), ORT_WASM_FILE.wasm);
};

/** The build adds a hash to its name: `ort-wasm-simd-threaded-….wasm`; a package has it as Brotli only. */
const ortOfPage = async (): Promise<Uint8Array> => {
  const folder = projectPath('dist/assets');
  const start = ORT_WASM_FILE.wasm.replace('.wasm', '-');
  const name = (await readdir(folder)).find(
    (one) => one.startsWith(start) && /\.wasm(\.br)?$/.test(one),
  );
  if (name === undefined)
    throw new Error(`${folder}/${start}….wasm is missing: install the package again`);
  const bytes = await readFile(join(folder, name));
  return name.endsWith('.br') ? brotliDecompressSync(bytes) : bytes;
};

/** onnxruntime-web's WebAssembly build. */
export async function openOrtFromDisk(): Promise<OrtModule> {
  return loadOrt('wasm', await (PACKED ? ortOfPage() : readFile(ortOfPackage())));
}

/** An encoder folder run by onnxruntime-web's WebAssembly build. */
export async function openEncoderFromDisk(folder: string): Promise<OnnxEncoder> {
  return OnnxEncoder.open(fetchFromDisk(folder), openOrtFromDisk);
}

const USAGE = `npx tsx src/cli/shared/build-world.ts --out DIR [--seed N] [--web apart|superset] [--encoder DIR | --no-vectors]`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(SHIPPED_SEED) },
      out: { type: 'string' },
      web: { type: 'string', default: 'apart' },
      encoder: { type: 'string', default: 'public/encoder' },
      'no-vectors': { type: 'boolean', default: false },
    },
  });
  const seed = Number(values.seed);
  const { out, web } = values;
  if (out === undefined || !Number.isSafeInteger(seed) || (web !== 'apart' && web !== 'superset'))
    throw new Error(USAGE);
  const encoder = values['no-vectors'] ? null : await openEncoderFromDisk(values.encoder);
  const onProgress = (done: number, total: number): void => {
    if (done === total || done % 1024 === 0) console.error(`encoded ${done} of ${total} passages`);
  };
  const manifest = await buildWorld({ seed, web }, writeToDisk(out), encoder, onProgress);
  const bytes = Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0);
  console.error(
    `${out}: seed ${seed}, ${manifest.counts.local} local and ${manifest.counts.web} web ` +
      `passages, ${manifest.counts.questions} questions, ${(bytes / 2 ** 20).toFixed(1)} MiB`,
  );
}

// By name: bundled, this file is part of another that is started.
if (process.argv[1]?.endsWith('build-world.ts')) {
  main().catch((error: unknown) => {
    console.error(messageOf(error));
    process.exitCode = 2;
  });
}
