import type { ExperimentFile } from '../parts/experiment.ts';
import { describeExperiment, differences, ENVIRONMENT } from '../parts/readme.ts';

/** `README.md` of a folder for verl. */
export function verlReadme(file: ExperimentFile): string {
  const { trainer, runId, adapter, settings } = file;
  const versions = Object.entries(trainer.versions).map(([name, version]) => `${name} ${version}`);
  return `\
# ${runId} on verl

${describeExperiment(file)}

## Environment

${ENVIRONMENT}

Several servers can share the work: start each with \`--shard 0/2\`, \`--shard 1/2\` …, and give all addresses to
\`FORAGE_ENVIRONMENT\` in that order, with commas between them.

## Check

    pip install -r requirements.txt
    FORAGE_HOME=/path/to/forage sh check.sh

checks on a CPU, in minutes, that Hydra accepts \`overrides.txt\`, that verl's \`RLHFDataset\` reads the rows, and that
verl's agent loop workers, directly and through Ray and TransferQueue, return the tokens, masks, log-probabilities and rewards
that the environment recorded, in whole groups.

## Train

    FORAGE_POLICY=/path/to/checkpoint sh train.sh trainer.n_gpus_per_node=${JSON.stringify(trainer.arguments['trainer.n_gpus_per_node'])}

All GPUs together (\`trainer.nnodes\` × \`trainer.n_gpus_per_node\`) must divide the ${(settings.questions / settings.updates) * settings.groupSize} rollouts of an update.

| file | content |
| --- | --- |
| \`overrides.txt\` | every argument that does not depend on the machine, one per line |
| \`train.parquet\` | a row for each draw of the curriculum, in order: ${trainer.rows} |
| \`val.parquet\` | the held-out questions |
| \`agent_loops.yaml\`, \`forage_agent_loop.py\` | the agent loop that asks the environment |
| \`experiment.json\`, \`questions.jsonl\`, \`tokenizer/\` | inputs of the environment |${adapter ? `\n| \`adapter/\` | the adapter that training continues |` : ''}

For SGLang instead of vLLM: \`sh train.sh actor_rollout_ref.rollout.name=sglang\`, with
\`actor_rollout_ref.rollout.skip_tokenizer_init=False\` where the checkpoint spells tags as text.

## Back to Forage

    sh fetch-adapter.sh
    npm run -s lab -- adopt /path/to/this/folder

\`trained/global_step_N\` is then the adapter in PEFT's format. The server's \`rollouts.jsonl\` is the record of all rollouts; verl's own
\`rollouts/\` and \`held-out/\` lose special tokens, and \`metrics.jsonl\` holds what it logged.

## What differs from Forage's own training

${differences(file)}

Tested for all mapped settings: verl's losses and their gradients are Forage's to 1e-6, its advantages too${settings.objective.estimator === 'reinforce++-baseline' ? ', except for the whitening above' : ''}; learning
rates are the same step by step.

## Unverified

These need GPUs and have not been tested:

- vLLM and SGLang end at stop ids and stop texts, and return the log-probabilities of the distribution they sampled from
- the sync of the adapter from trainer to engine
- FSDP over several GPUs, verl's \`fit()\` as a whole, its memory and its speed
- how far bfloat16 in the engine is from the trainer (\`training/rollout_probs_diff\` in verl's metrics)

Made for ${versions.join(', ')}.
`;
}
