/** The difference of recipes whose blocks no prompt explains. */
export const BLOCKS_SHOWN =
  'The paper teaches its blocks by a prompt. The built-in policy saw them in its training.';
