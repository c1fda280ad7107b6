import { basename, resolve } from 'node:path';
import { adapterGguf } from '../../policy/gguf/write/adapter.ts';
import { endProgress, print, say } from '../shared/command.ts';
import type { OptionValues } from '../shared/options.ts';
import { openFolder, readAdapterFolder } from '../shared/parts.ts';
import { writePieces } from '../shared/pieced-file.ts';
import { adapterSubject } from './adapter-subject.ts';

/** `lab export --to gguf`: an adapter as a file that llama.cpp applies to a base model. */
export async function exportAdapterGguf(values: OptionValues): Promise<void> {
  const subject = adapterSubject('export --to gguf', values);
  const { config, id } = await openFolder(subject.policy);
  const adapter = await readAdapterFolder(config, subject.adapter);
  const out = resolve(String(values.out));
  const file = adapterGguf(config, `${id} adapter`, basename(out), adapter);
  await writePieces(out, file);
  endProgress();
  if (values.json) print(JSON.stringify({ out, bytes: file.bytes }));
  else say(`${out}: ${file.bytes} bytes`);
}
