import { expect, test } from 'vitest';
import { requireChromium } from '../../scripts/chromium.mjs';

test('without a Chromium, the error says how to install one', () => {
  const named = process.env['FORAGE_CHROMIUM'];
  try {
    delete process.env['FORAGE_CHROMIUM'];
    expect(() => requireChromium(['/nowhere/chromium'])).toThrow(
      /^No Chromium found\. Install one .*apt-get install chromium.*FORAGE_CHROMIUM/,
    );
    process.env['FORAGE_CHROMIUM'] = '/nowhere/chromium';
    expect(() => requireChromium()).toThrow(
      'FORAGE_CHROMIUM names /nowhere/chromium, which does not exist.',
    );
  } finally {
    if (named === undefined) delete process.env['FORAGE_CHROMIUM'];
    else process.env['FORAGE_CHROMIUM'] = named;
  }
});
