import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importAll, previewImport } from '../../../src/data/import/index.ts';
import { cpuMs, FILES, mutate, mutation, readBroken } from './mutations.ts';

/** Cases of each format; scripts/fuzz-import.ts is the long run. */
const RUNS = 300;

describe('mutated files give records, rejections or an ImportError, soon', () => {
  it.each(Object.keys(FILES))('%s', async (name) => {
    const { bytes, format } = FILES[name]!;
    await fc.assert(
      fc.asyncProperty(mutation, async (broken) => {
        const start = cpuMs();
        await readBroken(mutate(bytes, broken), broken.detected ? null : format);
        expect(cpuMs() - start).toBeLessThan(1000);
      }),
      { numRuns: RUNS },
    );
  });
});

it('is not slowed by texts made to be slow', async () => {
  const slow = ['[', '{', '"', '\\', '. ', 'A. ', '."', '](', '> ', '- ', '[a](', '"\n', ',', '`'];
  const formats = ['hotpotqa', 'titles', 'contents', 'csv', 'markdown'].map(
    (n) => FILES[n]!.format,
  );
  for (const part of slow) {
    const file = new Blob([part.repeat(100_000)]);
    for (const format of formats) {
      const start = cpuMs();
      await importAll(file, { format });
      const ms = cpuMs() - start;
      if (process.env.FUZZ_TIMES && ms > 50) console.log(part, format.container, Math.round(ms));
      expect(ms, `${JSON.stringify(part)} as ${format.container}`).toBeLessThan(2000);
    }
    await previewImport(file, { name: 'a.md' });
  }
});
