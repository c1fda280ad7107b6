import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { measureWorld, reportText } from '../../evaluate/world/report.ts';
import {
  buildWorld,
  fetchFromDisk,
  openEncoderFromDisk,
  writeToDisk,
} from '../shared/build-world.ts';
import { makeWorld } from '../shared/generated-world.ts';
import { openMeasured } from '../parts/measured-world.ts';
import { emptiedOnFault } from '../shared/empty-folder.ts';
import { UsageError, type OptionValues } from '../shared/options.ts';
import { builtIn } from '../shared/paths.ts';
import { endProgress, print, say, sayProgress, type Command } from '../shared/command.ts';

const openEncoder = () => openEncoderFromDisk(builtIn('encoder'));
const encoding = (done: number, total: number): void =>
  sayProgress(`encoding passages ${done}/${total}`);

function seedOf(values: OptionValues): number {
  if (values.seed === undefined) throw new UsageError('world needs --seed N.');
  return Number(values.seed);
}

async function write(values: OptionValues): Promise<void> {
  const seed = seedOf(values);
  if (values.out === undefined) throw new UsageError('world needs --out DIR.');
  if (values.world !== undefined)
    throw new UsageError('--world names a folder to measure; add --report, or leave --world out.');
  const out = String(values.out);
  const strange =
    existsSync(out) && readdirSync(out).length > 0 && !existsSync(`${out}/manifest.json`);
  if (strange && values.force !== true)
    throw new UsageError(`${out} has other files; name an empty folder, or add --force.`);
  const encoder = await openEncoder();
  const kind = values.web === 'superset' ? 'superset' : 'apart';
  const build = () => buildWorld({ seed, web: kind }, writeToDisk(out), encoder, encoding);
  const isNew = !existsSync(out) || readdirSync(out).length === 0;
  const manifest = await (isNew ? emptiedOnFault(out, build) : build());
  endProgress();
  const { local, web, questions } = manifest.counts;
  if (values.json) print(JSON.stringify({ out, seed: manifest.seed, local, web, questions }));
  else say(`${out}: ${local} local and ${web} web passages, ${questions} questions.`);
}

async function report(values: OptionValues): Promise<void> {
  if (values.out !== undefined)
    throw new UsageError('--report writes no folder; leave out --out or --report.');
  const made = values.seed !== undefined;
  if (values.web !== undefined)
    throw new UsageError(
      '--report measures a world as it is; write one with --web first, or leave it out.',
    );
  if (values.world !== undefined && made)
    throw new UsageError('--world measures a folder, --seed a generated world; give one.');
  const folder = made ? undefined : String(values.world ?? builtIn('world'));
  if (folder !== undefined && !existsSync(join(folder, 'manifest.json')))
    throw new UsageError(`${folder} is not a world folder: manifest.json is missing.`);
  const files =
    folder === undefined
      ? await makeWorld({ seed: seedOf(values) }, encoding)
      : fetchFromDisk(folder);
  const measured = await openMeasured(files, await openEncoder());
  const found = await measureWorld(measured, (done, total) =>
    sayProgress(`asking gold queries ${done}/${total}`),
  );
  endProgress();
  print(values.json ? JSON.stringify(found) : reportText(found));
}

export const worldCommand: Command = {
  name: 'world',
  summary: 'generates a world and writes its folder, or measures one',
  options: {
    seed: { type: 'integer', value: 'N', help: 'which world', min: 0 },
    web: {
      type: 'string',
      value: 'KIND',
      choices: ['apart', 'superset'],
      help: 'what the web holds: pages of its own beside the local ones (apart, default), or every local page, too (superset)',
    },
    out: { type: 'string', value: 'DIR', help: 'folder to write' },
    force: { type: 'boolean', help: 'write even if the folder has other files' },
    report: {
      type: 'boolean',
      help: 'measure a world (default: the built-in one; or --world, --seed) instead of writing one',
    },
    world: { type: 'string', value: 'DIR', help: 'folder to measure with --report' },
    json: { type: 'boolean', help: 'print one JSON object' },
  },
  run: (values) => (values.report === true ? report(values) : write(values)),
};
