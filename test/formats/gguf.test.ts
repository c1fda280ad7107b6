import { expect, it } from 'vitest';
import { detect } from '../../src/formats/import/readers/detect.ts';
import { ggufOf } from '../../src/ui/kit/use-file-drop.ts';
import { policyFolder } from '../../src/cli/shared/parts.ts';

const ADVICE =
  'Open it on the Models page with "Open a model file", or give it to a command with --policy.';

it('is named as a model with what to do where passages or questions were expected', async () => {
  const reading = detect(new Blob(['GGUF\u0003\0\0\0']), 'passages');
  await expect(reading).rejects.toThrow(`a GGUF model has no passages. ${ADVICE}`);
});

it('is opened by the command line, or named where it is missing', () => {
  expect(() => policyFolder('models/x.gguf')).toThrow(
    'models/x.gguf is missing; correct the name of the GGUF file.',
  );
});

it('leads to Models from every page, all parts together; beside other files it goes with them', () => {
  const dropped = (...names: string[]): DataTransfer =>
    ({ files: names.map((name) => new File([], name)) }) as unknown as DataTransfer;
  const names = (transfer: DataTransfer) => ggufOf(transfer)?.map(({ name }) => name);
  expect(names(dropped('a.gguf'))).toEqual(['a.gguf']);
  const parts = ['A-00001-of-2.GGUF', 'A-00002-of-2.GGUF'];
  expect(names(dropped(...parts))).toEqual(parts);
  expect(ggufOf(dropped('a.gguf', 'config.json'))).toBeNull();
  expect(ggufOf(dropped('a.gguf.jsonl'))).toBeNull();
  expect(ggufOf(dropped())).toBeNull();
});
