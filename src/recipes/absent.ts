/** Published systems that are not here, each with the reason: nothing that could be run would be theirs. */
export const ABSENT: readonly { title: string; paper: string; reason: string }[] = [
  {
    title: 'HRPO, hybrid latent reasoning',
    paper: '2505.18454',
    reason:
      'The next input is a mixture of the sampled token’s embedding and the expectation over all tokens, by trained gates. The block operations can do both: rows of a table made for the step stand for embeddings, and the gradient at the first layer’s input can be read. What draws tokens and what trains take ids alone, and nothing stores gates beside an adapter, so that it is not built yet.',
  },
];
