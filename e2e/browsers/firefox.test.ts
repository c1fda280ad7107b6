import { existsSync } from 'node:fs';
import { openFirefox } from './marionette.ts';
import { keepsPromises } from './promises.ts';

const PLACES = [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
];
const program = process.env['FORAGE_FIREFOX'] ?? PLACES.find((path) => existsSync(path));

keepsPromises('Firefox', program === undefined ? null : () => openFirefox(program));
