import { prepareNode } from '../src/policy/node/prepare.ts';
// Register recipes and rewards: a test of the trainer alone would find none. test/systems/registered.test.ts is about the product.
import '../src/systems/index.ts';
import '../src/systems/rewards.ts';

// Files share one process: what its engine compiles must be the same for the first of them and the last.
prepareNode();
