import { it } from 'vitest';
import { importAll, previewImport } from '../../../src/formats/import/collect.ts';
import { expectLinear } from '../../fuzz/subjects/cost.ts';
import { ALL_TESTS } from '../../slow/slow.ts';
import { FILES } from '../../fixtures/import/whole-files.ts';

const TIMES = ALL_TESTS ? 96_000 : 40_000;

it('is not slowed by texts made to be slow', async () => {
  const slow = ['[', '{', '"', '\\', '. ', 'A. ', '."', '](', '> ', '- ', '[a](', '"\n', ',', '`'];
  const formats = ['hotpotqa', 'titles', 'contents', 'csv', 'markdown'].map(
    (n) => FILES[n]!.format,
  );
  for (const part of slow) {
    const file = (times: number): Blob => new Blob([part.repeat(times)]);
    for (const format of formats)
      await expectLinear(
        (times) => importAll(file(times), { format }),
        TIMES,
        `${JSON.stringify(part)} as ${format.container}`,
      );
    await previewImport(file(TIMES), { name: 'a.md' });
  }
});
