/**
 * An ONNX encoder folder here against sentence-transformers: cosines of the vectors that both give to
 * the passages of `reference.json` (export_onnx.py writes it), and the time that encoding takes.
 *
 *   npx tsx bench/retrieval/check-encoder.ts FOLDER
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openOrtFromDisk } from '../../src/cli/shared/build-world.ts';
import { OnnxEncoder } from '../../src/retrieval/encoder/encoder.ts';
import { withManifest } from '../../src/retrieval/encoder/sentence-transformers.ts';
import { diskFolder } from '../../src/cli/shared/disk-folder.ts';

interface Reference {
  passages: { title: string; text: string }[];
  vectors: number[][];
}

const cosine = (a: ArrayLike<number>, b: readonly number[]): number => {
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>): number =>
    b.reduce((sum, _, i) => sum + x[i]! * y[i]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
};

async function main(path: string): Promise<void> {
  const folder = diskFolder(path);
  const encoder = await OnnxEncoder.open(await withManifest(folder, 'encoder'), openOrtFromDisk);
  const { passages, vectors } = JSON.parse(
    readFileSync(join(path, 'reference.json'), 'utf8'),
  ) as Reference;
  const start = performance.now();
  const { dimensions, values } = await encoder.encodePassages(
    passages.map(({ title, text }, i) => ({ id: String(i), title, text, sentences: [text] })),
  );
  const ms = performance.now() - start;
  const cosines = vectors.map((vector, i) =>
    cosine(values.subarray(i * dimensions, (i + 1) * dimensions), vector),
  );
  console.log(`${encoder.id}: ${JSON.stringify(encoder.manifest)}`);
  console.log(
    `${cosines.length} passages, cosine with sentence-transformers: least ${Math.min(...cosines).toFixed(7)}, ` +
      `mean ${(cosines.reduce((sum, c) => sum + c, 0) / cosines.length).toFixed(7)}; ` +
      `${(ms / cosines.length).toFixed(1)} ms a passage on one core (WASM)`,
  );
  if (!(Math.min(...cosines) >= 0.9999)) process.exitCode = 1;
}

const [path] = process.argv.slice(2);
if (!path) throw new Error('npx tsx bench/retrieval/check-encoder.ts FOLDER');
await main(path);
