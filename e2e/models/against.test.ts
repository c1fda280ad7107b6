import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';

const MODEL = 'test/fixtures/gguf-tokenizer/asks.gguf';

const bench = (words: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  spawnSync(
    process.execPath,
    ['--import', 'tsx', 'src/cli/main.ts', 'bench', 'wasm', '--against', 'wllama', ...words],
    { encoding: 'utf8', env: { ...process.env, ...env } },
  );

interface Report {
  versions: { wllama: string; browser: string };
  threads: number;
  wllama: { slots: number; instances: number; threads: number }[];
  engines: {
    engine: string;
    held: string;
    rates: { slots: number; prefill: { clock: number }; decode: { clock: number } }[];
    step: { clock: number } | null;
    agreement: { equal: number; tokens: number } | null;
  }[];
}

describe('lab bench wasm --against wllama', () => {
  test('decodes one file with both engines, which write the same tokens', () => {
    const asked = ['--policy', MODEL, '--slots', '2,1', '--weights', 'f32', '--json'];
    const { status, stdout, stderr } = bench(asked);
    expect(stderr).toContain('wllama, 2 slots');
    expect(status).toBe(0);
    const report = JSON.parse(stdout) as Report;
    expect(report.threads).toBe(1);
    expect(report.versions.wllama).toMatch(/^\d+\.\d+\.\d+$/);
    expect(report.versions.browser).toMatch(/^Chromium \d+/);
    expect(report.wllama.map(({ slots }) => slots)).toEqual([1, 2]);
    expect(report.engines.map(({ engine }) => engine)).toEqual([
      'wllama',
      'Forage, as stored',
      'Forage, f32',
    ]);
    for (const { engine, rates, step, agreement } of report.engines) {
      // wllama does not train.
      expect((step?.clock ?? 0) > 0).toBe(engine !== 'wllama');
      expect(rates.map(({ slots }) => slots)).toEqual([1, 2]);
      for (const { prefill, decode } of rates) {
        expect(prefill.clock).toBeGreaterThan(0);
        expect(decode.clock).toBeGreaterThan(0);
      }
      // The file is in Q8_0, which Forage holds as it is; only wllama rounds activations.
      if (agreement) {
        expect(agreement.tokens).toBeGreaterThan(32);
        expect(agreement.equal / agreement.tokens).toBeGreaterThan(0.9);
      }
    }
  });

  test('says what is missing where there is no Chromium', () => {
    const { status, stdout, stderr } = bench(['--policy', MODEL], {
      FORAGE_CHROMIUM: '/nowhere/chromium',
    });
    expect(stderr).toBe('FORAGE_CHROMIUM names /nowhere/chromium, which does not exist.\n');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });
});
