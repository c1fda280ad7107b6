import { expect, it } from 'vitest';
import { importAll, previewImport } from '../../../src/formats/import/collect.ts';
import { cpuMs } from '../../fuzz/subjects/subject.ts';
import { ALL_TESTS } from '../../slow/slow.ts';
import { FILES } from '../../fixtures/import/whole-files.ts';

const [TIMES, MOST_MS] = ALL_TESTS ? [100_000, 2000] : [40_000, 1000];

it('is not slowed by texts made to be slow', async () => {
  const slow = ['[', '{', '"', '\\', '. ', 'A. ', '."', '](', '> ', '- ', '[a](', '"\n', ',', '`'];
  const formats = ['hotpotqa', 'titles', 'contents', 'csv', 'markdown'].map(
    (n) => FILES[n]!.format,
  );
  for (const part of slow) {
    const file = new Blob([part.repeat(TIMES)]);
    for (const format of formats) {
      const start = cpuMs();
      await importAll(file, { format });
      const ms = cpuMs() - start;
      if (process.env.FUZZ_TIMES && ms > 50) console.log(part, format.container, Math.round(ms));
      expect(ms, `${JSON.stringify(part)} as ${format.container}`).toBeLessThan(MOST_MS);
    }
    await previewImport(file, { name: 'a.md' });
  }
});
