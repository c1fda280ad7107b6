/** Of recipes that ask for blocks which no prompt explains. */
export const BLOCKS_SHOWN =
  'Theirs learns its blocks from a prompt. The shipped policy was shown them in its training.';
