import { existsSync, readdirSync } from 'node:fs';
import { buildWorld, openEncoderFromDisk, writeToDisk } from '../shared/build-world.ts';
import { UsageError } from '../shared/options.ts';
import { builtIn } from '../shared/paths.ts';
import { endProgress, print, say, sayProgress, type Command } from '../shared/command.ts';

export const worldCommand: Command = {
  name: 'world',
  summary: 'generates a world and writes its folder',
  options: {
    seed: { type: 'integer', value: 'N', help: 'which world', required: true, min: 0 },
    out: { type: 'string', value: 'DIR', help: 'folder to write', required: true },
    force: { type: 'boolean', help: 'write into a folder that holds other files' },
    json: { type: 'boolean', help: 'print one JSON object' },
  },
  async run(values) {
    const out = String(values.out);
    const strange =
      existsSync(out) && readdirSync(out).length > 0 && !existsSync(`${out}/manifest.json`);
    if (strange && !values.force)
      throw new UsageError(`${out} holds other files; name an empty folder or add --force.`);
    const encoder = await openEncoderFromDisk(builtIn('encoder'));
    const manifest = await buildWorld(
      Number(values.seed),
      writeToDisk(out),
      encoder,
      (done, total) => sayProgress(`encoding passages ${done}/${total}`),
    );
    endProgress();
    const { local, web, questions } = manifest.counts;
    if (values.json) print(JSON.stringify({ out, seed: manifest.seed, local, web, questions }));
    else say(`${out}: ${local} local and ${web} web passages, ${questions} questions.`);
  },
};
