import { describe, expect, test } from 'vitest';
import {
  commandHelp,
  parseOptions,
  UsageError,
  type CommandSpec,
} from '../../../src/cli/shared/options.ts';

const command: CommandSpec = {
  name: 'rollout',
  summary: 'runs rollouts',
  options: {
    limit: { type: 'integer', value: 'N', help: 'questions', default: 10, min: 1 },
    device: { type: 'string', help: 'where', choices: ['wasm', 'webgpu'], default: 'wasm' },
    temperature: { type: 'number', help: 'T', default: 1, min: 0 },
    out: { type: 'string', value: 'FILE', help: 'where to', required: true },
    json: { type: 'boolean', help: 'print JSON' },
  },
};

describe('options of the command line', () => {
  test('values are read as their types and defaults fill the rest', () => {
    const { values } = parseOptions(command, ['--limit', '3', '--out', 'a.jsonl', '--json']);
    expect(values).toEqual({
      limit: 3,
      device: 'wasm',
      temperature: 1,
      out: 'a.jsonl',
      json: true,
    });
  });

  test.each([
    [['--out', 'a', '--limt', '3'], /limt/],
    [['--out', 'a', '--limit', 'x'], /--limit is 'x'; it must be a whole number/],
    [['--out', 'a', '--limit', '0'], /--limit is 0; it must be at least 1/],
    [['--out', 'a', '--limit', '1.5'], /whole number/],
    [['--out', 'a', '--device', 'tpu'], /must be one of wasm, webgpu/],
    [[], /rollout needs --out FILE/],
    [['--out', 'a', 'word'], /takes no argument 'word'/],
    [['--out'], /out/],
  ])('%j is one clear line', (argv, message) => {
    const parse = () => parseOptions(command, argv);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(message);
    try {
      parse();
    } catch (error) {
      expect((error as Error).message).not.toContain('\n');
    }
  });

  test('the help names every option', () => {
    for (const name of Object.keys(command.options))
      expect(commandHelp(command)).toContain(`--${name}`);
  });
});
