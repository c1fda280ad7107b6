// Whether anything is exported, kept or installed for nobody: knip.config.ts has the rule.
import { spawnSync } from 'node:child_process';

const KNIP = ['node_modules/knip/bin/knip.js', '--no-progress', '--no-config-hints'];
const LOOKS = [
  // The tests count: what only they import is a promise by itself.
  [],
  // They do not: a type that only a test names is not a promise.
  ['--production', '--include', 'types'],
];
const failed = LOOKS.filter(
  (look) => spawnSync(process.execPath, [...KNIP, ...look], { stdio: 'inherit' }).status !== 0,
);
if (failed.length > 0) {
  console.error(
    'Drop the `export` of what its own file uses, and delete what nothing does. What is there for a reason\n' +
      'that knip cannot see has its place in knip.config.ts, with the reason.',
  );
  process.exitCode = 1;
} else console.log('unused: nothing');
