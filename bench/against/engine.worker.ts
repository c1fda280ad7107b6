import { openGguf } from '../../src/policy/gguf/open.ts';
import { loadPolicy } from '../../src/policy/open/load.ts';
import type { MatrixType } from '../../src/policy/ops/values.ts';
import { servePolicy } from '../../src/policy/serving/serve.ts';

/** What one engine opens. */
export interface EngineFile {
  /** A GGUF file, or its parts in their order. */
  files: readonly File[];
  /** Null: as the file stores them. */
  weights: MatrixType | null;
  slots: number;
  /** Tokens of one context. */
  context: number;
}

async function serve({ files, weights, slots, context }: EngineFile): Promise<void> {
  const model = await openGguf(
    files.map((file) => ({
      name: file.name,
      size: file.size,
      read: async (start: number, end: number) =>
        new Uint8Array(await file.slice(start, end).arrayBuffer()),
    })),
  );
  const policy = await loadPolicy({
    files: model.files,
    id: 'bench',
    device: 'wasm',
    maxSlots: slots,
    maxContext: context,
    ...(weights && { weights }),
  });
  servePolicy(policy, globalThis);
}

// A rejection would stay in here; an error reaches the page.
addEventListener(
  'message',
  ({ data }: MessageEvent<EngineFile>) => void serve(data).catch(reportError),
  { once: true },
);
