import { writeFileSync } from 'node:fs';
import { loadExpectedCurves } from '../src/evaluate/study/expected-curves.ts';
import { CURVES_FILE, expectedCurves } from './expected-curves-file.ts';

/** Puts the curves of the trainings in training/studies/results/trained into curves.json, which the page shows. */

writeFileSync(CURVES_FILE, `${JSON.stringify(expectedCurves(await loadExpectedCurves()))}\n`);
