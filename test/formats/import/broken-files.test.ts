import { expect, it } from 'vitest';
import { importAll, previewImport } from '../../../src/formats/import/collect.ts';
import { cpuMs } from '../../fuzz/subjects/subject.ts';
import { FILES } from '../../fixtures/import/whole-files.ts';

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
