import { prepareNode } from '../src/policy/jax/jax-node.ts';

// Files share jax-js, which looks at what the platform has when the first of them imports it.
prepareNode();
