import { writeFileSync } from 'node:fs';
import { SYSTEMS_FILE, SYSTEMS_LIST_FILE, systemsList, systemsPage } from './systems-page.ts';

/** Writes docs/systems-list.md, and systems.md beside it, from the recipes and the switches of training. */

writeFileSync(SYSTEMS_LIST_FILE, await systemsList());
writeFileSync(SYSTEMS_FILE, await systemsPage());
