import { prepareNode } from '../src/policy/node/prepare.ts';
// Registers the recipes: a test of the trainer alone would find none.
import '../src/systems/index.ts';

// Files share one process: what its engine compiles must be the same for the first of them and the last.
prepareNode();
