import { writeFileSync } from 'node:fs';
import { CURVES_FILE, expectedCurves } from './expected-curves-file.ts';

/** Writes training/studies/results/curves.json from the trainings of the studies. */

writeFileSync(CURVES_FILE, expectedCurves());
