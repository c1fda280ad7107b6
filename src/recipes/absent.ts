/** Published systems that are not here, each with the reason: nothing that could be run would be theirs. */
export const ABSENT: readonly { title: string; paper: string; reason: string }[] = [
  {
    title: 'HRPO, hybrid latent reasoning',
    paper: '2505.18454',
    reason:
      'The next input is a mixture of the sampled token’s embedding and the expectation over all tokens, by trained gates. The engines here take token ids, not embeddings, and the trainer’s gradient ends at the adapter, so that the gates could neither be run nor trained.',
  },
];
