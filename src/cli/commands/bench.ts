import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { UsageError } from '../shared/options.ts';
import { projectPath } from '../shared/paths.ts';
import type { Command } from '../shared/command.ts';

/** Names of the measurements: the folders of bench/ that have a run.ts. */
const names = (): string[] =>
  readdirSync(projectPath('bench')).filter((name) =>
    existsSync(projectPath(`bench/${name}/run.ts`)),
  );

export const benchCommand: Command = {
  name: 'bench',
  summary: 'measures against peers and limits: rollout, retrieval, page',
  positional: { name: 'NAME', required: true },
  options: { json: { type: 'boolean', help: 'print one JSON object and nothing else' } },
  run(values, positionals) {
    const [name = ''] = positionals;
    if (!names().includes(name))
      throw new UsageError(`No bench '${name}'. There are: ${names().join(', ')}.`);
    const script = projectPath(`bench/${name}/run.ts`);
    const run = spawnSync(
      process.execPath,
      [...process.execArgv, script, ...(values.json ? ['--json'] : [])],
      { stdio: 'inherit' },
    );
    process.exitCode = run.status ?? 1;
    return Promise.resolve();
  },
};
