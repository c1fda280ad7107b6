import { prepareNode } from '../src/policy/node/prepare.ts';

// Files share one process: what its engine compiles must be the same for the first of them and the last.
prepareNode();
