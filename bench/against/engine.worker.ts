import { openGguf } from '../../src/policy/gguf/open.ts';
import { loadPolicy } from '../../src/policy/open/load.ts';
import { servePolicy } from '../../src/policy/serving/serve.ts';
import { ggufBytes, type EngineFile } from './gguf-bytes.ts';

async function serve({ files, weights, slots, context }: EngineFile): Promise<void> {
  const model = await openGguf(ggufBytes(files));
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
