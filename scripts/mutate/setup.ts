import { afterAll, inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Milliseconds that one test file may take. */
    longest: number;
  }
}

declare global {
  /** Called at each turn of a loop. */
  var __turn: (() => void) | undefined;
  /** Regions of source files that ran: 1 for each. */
  var __ran: Record<string, Uint8Array> | undefined;
}

/** A test file that passes does not come near it; a loop that a mutant made endless ends then. */
const end = Date.now() + inject('longest');
let turns = 0;
globalThis.__turn = () => {
  if ((++turns & 0xffff) === 0 && Date.now() > end)
    throw new Error('out of time: a loop does not end');
};

// oxlint-disable-next-line no-empty-pattern -- vitest wants a pattern here
afterAll(({}, suite) => {
  const ran = Object.entries(globalThis.__ran ?? {}).map(([file, marks]) => [
    file,
    [...marks.keys()].filter((region) => marks[region] === 1),
  ]);
  Object.assign(suite.meta, { ran: Object.fromEntries(ran) });
});
