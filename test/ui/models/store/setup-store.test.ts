import { expect, it } from 'vitest';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import { choosePolicy, parseSetup, useSetup } from '../../../../src/ui/setup/setup-store.ts';

it('removes only the automatic summarizer', () => {
  const setup = { ...BUILT_IN_SETUP, policy: { kind: 'checkpoint' as const, id: 'qwen' } };
  expect(parseSetup(JSON.stringify(setup))).toEqual(setup);
  for (const text of [null, '', '{', '{}', '[]', JSON.stringify({ ...setup, more: 1 })])
    expect(parseSetup(text)).toEqual(BUILT_IN_SETUP);
});

it('what was stored without a source means that runs search as their recipe says', () => {
  const { source: _, ...before } = BUILT_IN_SETUP;
  expect(parseSetup(JSON.stringify(before))).toEqual(BUILT_IN_SETUP);
  expect(BUILT_IN_SETUP.source).toBe('recipe');
});

it('changes a part and keeps the rest', () => {
  useSetup.getState().change({ web: { kind: 'mediawiki', url: 'https://wiki.example/w/api.php' } });
  choosePolicy({ kind: 'checkpoint', id: 'qwen' });
  expect(useSetup.getState().setup).toEqual({
    ...BUILT_IN_SETUP,
    web: { kind: 'mediawiki', url: 'https://wiki.example/w/api.php' },
    policy: { kind: 'checkpoint', id: 'qwen' },
  });
});
