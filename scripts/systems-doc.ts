import { writeFileSync } from 'node:fs';
import { SYSTEMS_FILE, systemsPage } from './systems-page.ts';

/** Writes docs/systems.md from the recipes and the switches of training. */

writeFileSync(SYSTEMS_FILE, await systemsPage());
