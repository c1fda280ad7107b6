import { execFileSync, spawnSync } from 'node:child_process';
import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { RolloutFile } from '../../../src/cli/parts/environment-serve.ts';
import { openOutput, writeAll } from '../../../src/cli/evaluate/output.ts';
import { appendLines } from '../../../src/cli/shared/append.ts';
import { fillFolder } from '../../../src/cli/shared/empty-folder.ts';
import { writeSafely } from '../../../src/cli/shared/write-safely.ts';
import { holdRun } from '../../../src/cli/train/hold.ts';
import { messageOf } from '../../../src/base/errors.ts';
import { emptyRollout } from '../../fixtures/rollouts.ts';
import { labHere } from '../lab.ts';
import { packedLab } from '../packed.ts';

/** Bytes that fit on the disk; as on a real one, the first part of a write may fit. */
const disk = vi.hoisted(() => ({ room: Infinity }));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const full = (): never => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
  };
  const limited = {
    ...real,
    writeSync: (file: number, bytes: Uint8Array, at = 0) => {
      if (disk.room === 0) return full();
      const fits = Math.min(disk.room, bytes.length - at);
      disk.room -= fits;
      return real.writeSync(file, bytes, at, fits);
    },
    writeFileSync: (...args: Parameters<typeof fs.writeFileSync>) => {
      if (disk.room === 0) full();
      real.writeFileSync(...args);
    },
  };
  return { ...limited, default: limited };
});

const folder = mkdtempSync(join(tmpdir(), 'forage-full-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let path: string;
let count = 0;
beforeEach(() => {
  path = join(folder, `${++count}`);
});
afterEach(() => {
  disk.room = Infinity;
});

const sentenceOf = (write: () => unknown): string => {
  try {
    write();
  } catch (error) {
    return messageOf(error);
  }
  return 'nothing was thrown';
};

const full = (at: string): string =>
  `The disk is full: ${at} was not written; free space on it or choose another place, then run the command again`;

describe('a full disk', () => {
  it('leaves whole lines only, and the rest is added when there is room', () => {
    appendLines(path, ['{"id":1}']);
    // The second line would fit by half.
    disk.room = 14;
    expect(sentenceOf(() => appendLines(path, ['{"id":2}', '{"id":3}']))).toBe(full(path));
    expect(readFileSync(path, 'utf8')).toBe('{"id":1}\n{"id":2}\n');
    disk.room = Infinity;
    appendLines(path, ['{"id":3}']);
    expect(readFileSync(path, 'utf8')).toBe('{"id":1}\n{"id":2}\n{"id":3}\n');
  });

  it('leaves no half of the rollouts of an output', () => {
    const output = openOutput(path);
    disk.room = 1500;
    const rollouts = Array.from({ length: 20 }, (_, i) => emptyRollout(`r-${i}`));
    expect(sentenceOf(() => writeAll(output, rollouts))).toBe(full(path));
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
      rollouts.slice(0, lines.length).map((one) => JSON.parse(JSON.stringify(one)) as unknown),
    );
  });

  it('leaves a file as it was where it would be replaced, and no part of the new one', () => {
    writeSafely(path, 'before');
    disk.room = 3;
    expect(sentenceOf(() => writeSafely(path, 'after it'))).toBe(full(path));
    expect(readFileSync(path, 'utf8')).toBe('before');
    expect(existsSync(`${path}.new`)).toBe(false);
  });

  it('leaves a new folder empty, so that the same command can be run again', async () => {
    const fill = () => {
      mkdirSync(join(path, 'inner'));
      fs.writeFileSync(join(path, 'inner/a'), 'a');
      disk.room = 0;
      fs.writeFileSync(join(path, 'inner/b'), 'b');
    };
    const error: unknown = await fillFolder(path, fill).catch((thrown: unknown) => thrown);
    expect(messageOf(error)).toBe(full(path));
    expect(readdirSync(path)).toEqual([]);
    disk.room = Infinity;
    await expect(fillFolder(path, () => 'filled')).resolves.toBe('filled');
  });

  it('stops a server with the file’s path, and the file can be read', () => {
    const faults: string[] = [];
    const file = new RolloutFile(path, (why) => faults.push(why));
    file.add(emptyRollout('one'));
    disk.room = 20;
    file.add(emptyRollout('two'));
    expect(faults).toEqual([full(path)]);
    expect(readFileSync(path, 'utf8')).toBe(`${JSON.stringify(emptyRollout('one'))}\n`);
  });

  it('is said of the lock of a run too, which is not left behind', () => {
    mkdirSync(path);
    disk.room = 0;
    expect(sentenceOf(() => holdRun(path))).toBe(full(join(path, 'process')));
    disk.room = Infinity;
    expect(readdirSync(path)).toEqual([]);
  });
});

it('the beginning of a line that a killed process left is not joined with the next one', () => {
  writeFileSync(path, '{"id":1}\n{"id":');
  appendLines(path, ['{"id":2}']);
  expect(readFileSync(path, 'utf8')).toBe('{"id":1}\n{"id":\n{"id":2}\n');
});

describe('a place that cannot be written', () => {
  it.each([
    ['a folder', (at: string) => (mkdirSync(at), at), /cannot be written: it is a folder; choose /],
    [
      'below a file',
      (at: string) => (writeFileSync(at, ''), join(at, 'x')),
      /cannot be written: a part of the path is a file, not a folder; choose another place\.$/,
    ],
    [
      'in no folder',
      (at: string) => join(at, 'x'),
      /cannot be written: its folder does not exist; choose another place\.$/,
    ],
  ])('%s', (_, make, said) => {
    const at = make(path);
    const sentence = sentenceOf(() => openOutput(at));
    expect(sentence).toMatch(said);
    expect(sentence).toContain(at);
  });

  it.each([
    ['EROFS', /^\/mnt\/x is on a read-only file system; choose another place$/],
    ['EACCES', /^This user has no permission for \/mnt\/x; change its permissions, or choose /],
    ['EDQUOT', /^The disk is full: \/mnt\/x was not written; free space on it or choose /],
  ])('%s', (code, said) => {
    const error = Object.assign(new Error(`${code}: words of the system`), {
      code,
      path: '/mnt/x',
    });
    expect(messageOf(error)).toMatch(said);
  });

  it('a copy names where it goes, not where it comes from', () => {
    const more = { code: 'ENOSPC', path: '/from', dest: '/to' };
    expect(messageOf(Object.assign(new Error(), more))).toBe(full('/to'));
  });

  test.skipIf(process.platform !== 'linux')('a folder below /proc', async () => {
    const { status, err } = await labHere(...EXPORT, '/proc/forage');
    expect([status, err]).toEqual([
      2,
      'The folder /proc/forage cannot be made there; choose another place.\n',
    ]);
  });
});

const EXPORT = ['export', '--recipe', 'search/grpo', '--to', 'trl', '--out'];
const ROLLOUTS = 'test/fixtures/inspect/kunlun-baize-dev.jsonl';

describe.skipIf(!existsSync('/dev/full'))('/dev/full', () => {
  it('as an output file: status 2 and one sentence', async () => {
    const { status, err } = await labHere('trajectories', ROLLOUTS, '--out', '/dev/full');
    expect([status, err]).toEqual([2, `${full('/dev/full')}.\n`]);
  });

  it('as standard output: status 2 and one sentence', () => {
    const device = openSync('/dev/full', 'w');
    const run = spawnSync(process.execPath, [...packedLab(), 'recipes'], {
      encoding: 'utf8',
      stdio: ['ignore', device, 'pipe'],
    });
    expect([run.status, run.stderr]).toEqual([2, `${full('standard output')}.\n`]);
  }, 120_000);
});

test('devices without length can be written to', async () => {
  expect(await labHere('trajectories', ROLLOUTS, '--out', '/dev/null')).toMatchObject({
    status: 0,
  });
});

/** Whether this user may mount a file system that only the process and its children see. */
const mounts = (): boolean => {
  try {
    execFileSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
};

describe.skipIf(!mounts())('a real file system', () => {
  const within = (mount: string, ...words: string[]) =>
    spawnSync(
      'unshare',
      [
        '-rm',
        'sh',
        '-c',
        `${mount} "$0" && "$@"; status=$?; find "$0" -mindepth 1; exit $status`,
      ].concat(path, process.execPath, ...packedLab(), ...words),
      { encoding: 'utf8' },
    );

  it('of 16 KiB: the folder that did not fit is empty', () => {
    mkdirSync(path);
    const out = join(path, 'out');
    const run = within('mount -t tmpfs -o size=16k tmpfs', ...EXPORT, out);
    expect([run.status, run.stderr]).toEqual([2, `${full(out)}.\n`]);
    expect(run.stdout).toBe(`${out}\n`);
  }, 120_000);

  it('that is read-only', () => {
    mkdirSync(path);
    const out = join(path, 'out');
    const run = within('mount -t tmpfs -o ro tmpfs', ...EXPORT, out);
    expect([run.status, run.stderr, run.stdout]).toEqual([
      2,
      `${out} is on a read-only file system; choose another place.\n`,
      '',
    ]);
  }, 120_000);
});
