import { drawsOf } from '../../../recipes/parts/curriculum.ts';
import { aggregationWords, groupEstimatorOf } from '../../../recipes/parts/training.ts';
import type { ExperimentFile } from './experiment.ts';

/** Parts of `README.md` that every trainer's folder has. */

/** What the experiment is, in a few lines. */
export function describeExperiment(file: ExperimentFile): string {
  const { settings, run, policy, questions, trainer, without } = file;
  const { objective, questions: perStep, groupSize, updates, steps, stages } = settings;
  const rewards = stages.map(({ reward, steps: n }) => `${reward} (${n} steps)`).join(', then ');
  return [
    `- recipe: ${settings.preset}, loop ${settings.recipe}; seed ${settings.seed}`,
    `- ${steps} steps of ${perStep} questions × ${groupSize} rollouts in ${updates} update${updates === 1 ? '' : 's'}${run === null ? '' : `; ${run.step} are done`}`,
    `- reward: ${rewards}`,
    `- objective: ${groupEstimatorOf(objective)}, ${aggregationWords(objective.aggregation)}, KL ${objective.kl.place === 'off' ? 'off' : `${objective.kl.form} in the ${objective.kl.place}, ${objective.kl.coefficient}`}`,
    `- model: ${policy.id}, revision ${policy.revision}, contexts of ${policy.maxContext} tokens`,
    `- questions: ${questions.train} to draw from (${drawsOf(settings.curriculum)}), ${questions.heldOut} held out; ${trainer.rows} rows`,
    ...(without.length > 0 ? [`- left out: ${without.join(', ')}`] : []),
  ].join('\n');
}

/** What differs from Forage's own training, by setting. */
export const differences = ({ trainer }: ExperimentFile): string =>
  trainer.notes.map(({ setting, text }) => `- \`${setting}\`: ${text}`).join('\n');

/** How to start the environment's server, the same for every trainer. */
export const ENVIRONMENT = `\
The agent loop, the retrieval and the rewards are Forage's own, served over HTTP. On the machine that
serves them, with Forage's sources (\`npm ci\` once) in \`$FORAGE_HOME\`:

    FORAGE_HOME=/path/to/forage sh environment.sh

It prints its address. Trainers read it from \`FORAGE_ENVIRONMENT\` (http://127.0.0.1:8765 unless set).
Any other host needs \`FORAGE_TOKEN\`, the same at both ends. \`environment.sh\` passes its other arguments to
\`lab serve-environment\`, for example \`--engine search-r1=URL\` to search with such a server.`;

/** Where the trainer gets the policy's weights. */
export const FETCH_POLICY = `\
The model's weights are not part of the folder. The trainer reads them from \`policy.folder\` of
\`experiment.json\`, or from \`FORAGE_POLICY\` (a folder, or a name on the Hugging Face hub). They must be
the same weights: \`policy.revision\` is the start of the SHA-256 of their file.`;
