import { readFileSync } from 'node:fs';
import type { EnvironmentParts } from '../../handover/environment/environment.ts';
import { environmentHash, type Experiment } from '../../handover/environment/experiment.ts';
import { cachingRetriever } from '../../handover/environment/caching-retriever.ts';
import { openSummarizer } from '../../retrieval/summarize/index.ts';
import { openReader } from '../../policy/open/reader.ts';
import { folderFiles } from '../shared/checkpoint-folder.ts';
import type { EngineOptions } from '../shared/engine.ts';
import { recordedWorld } from '../shared/generated-world.ts';
import { UsageError } from '../shared/options.ts';
import { openSources, type OpenSources, type PartsOptions } from '../shared/parts.ts';
import { projectPath } from '../shared/paths.ts';
import { readExperimentQuestions } from './experiment.ts';

/** Opens the parts of an environment that an experiment describes. */

const version = (): string => {
  const { version: named }: { version?: unknown } = JSON.parse(
    readFileSync(projectPath('package.json'), 'utf8'),
  ) as object;
  return String(named);
};

/** Opens the sources that an experiment names. @throws UsageError */
export async function openExperimentSources(
  { world, corpus, engine, questions }: Experiment,
  given: EngineOptions | undefined,
  tell: Pick<PartsOptions, 'onProgress' | 'onNotice'>,
): Promise<OpenSources> {
  if (given && given.spec.kind !== engine?.kind)
    throw new UsageError(
      `--engine is of kind ${given.spec.kind}, but the experiment searches ${engine ? `by ${engine.kind}` : "its world's web"}.`,
    );
  const own = engine ? { spec: engine } : undefined;
  const opened = await openSources({
    world: recordedWorld(world),
    ...(corpus && {
      corpus: {
        files: corpus.files,
        method: corpus.method,
        ...(corpus.encoder !== null && { encoder: corpus.encoder }),
      },
    }),
    engine: given ?? own,
    ...tell,
  });
  if (opened.world.manifest.seed !== world.seed)
    throw new UsageError(
      `the world here has seed ${opened.world.manifest.seed}, the experiment's has ${world.seed}; set world.folder to the folder of the right world.`,
    );
  if (questions) opened.world.questions = await readExperimentQuestions(questions.file);
  return opened;
}

/** @throws CheckpointError where the tokenizer cannot be read */
export async function environmentParts(
  experiment: Experiment,
  { world, retriever, router }: OpenSources,
  shard: EnvironmentParts['shard'],
): Promise<EnvironmentParts> {
  const { settings, runId, policy, curriculum, run } = experiment;
  const { tokenizer, chat } = await openReader(folderFiles(policy.tokenizer));
  return {
    settings,
    runId,
    questions: world.questions,
    retriever: experiment.engine ? retriever : cachingRetriever(retriever),
    curriculum,
    startStep: run?.step ?? 0,
    shard,
    reader: {
      info: {
        id: policy.id,
        revision: policy.revision,
        parameters: 0,
        maxContext: policy.maxContext,
        device: 'server',
        dtype: '',
        logprobs: "the trainer's sampler's",
      },
      tokenizer,
      chat,
    },
    vocabulary: Math.max(policy.vocabulary, tokenizer.vocabSize),
    router,
    // Whatever settings ask for summaries: a model would have to be named to every server again.
    summarizer: openSummarizer({ kind: 'extractive' }),
    now: Date.now,
    version: version(),
    hash: await environmentHash(experiment),
  };
}
