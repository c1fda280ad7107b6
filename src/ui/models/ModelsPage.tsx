import { deviceWords } from '../kit/words/device-words.ts';
import { formatBytes, formatCount } from '../kit/words/format.ts';
import { LoadingFailure, LoadingList } from '../lab/Loading.tsx';
import { Button } from '@mantine/core';
import type { PolicyInfo } from '../../policy/policy.ts';
import { startAgreement, stopTrial } from './store/trial-actions.ts';
import { TimeLeft } from '../kit/words/TimeLeft.tsx';
import { CheckpointsSection } from './CheckpointsSection.tsx';
import { EncodersSection } from './EncodersSection.tsx';
import { useDeviceLimits } from './fit/device-limits.ts';
import { MeasureSection } from './MeasureSection.tsx';
import { PublishedSection } from './PublishedSection.tsx';
import { ServersSection } from './ServersSection.tsx';
import { openChapter } from '../tour/tour-actions.ts';
import { WebLlmSection } from './WebLlmSection.tsx';
import { useStorageUse } from '../lab/storage.ts';
import { useSession } from '../kit/session-store.ts';
import { useNeeds } from '../lab/use-needs.ts';
import { Terms } from '../kit/words/explain/Term.tsx';
import { VerdictLine } from '../kit/page/VerdictLine.tsx';
import { keyOf, policyChoices } from '../setup/form/policy-words.ts';
import { useSetup } from '../setup/setup-store.ts';
import { modelsVerdict } from './models-verdict.ts';
import { useModels } from './store/models-store.ts';
import './models.css';
import './checkpoints.css';

/** A fact and its value, in a list of such. */
const Pair = ({ name, value }: { name: string; value: string }) => (
  <>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </>
);

/** The chosen model, on top of the page. */
const ModelNow = () => {
  const ref = useSetup(({ setup }) => setup.policy);
  const resources = useSetup((state) => state.resources);
  const checkpoints = useModels((state) => state.checkpoints);
  const { status } = useSession((state) => state.parts.policy);
  const info = useSession((state) => state.policy);
  const name = policyChoices(resources, checkpoints, [ref]).find(
    (one) => keyOf(one.ref) === keyOf(ref),
  )?.label;
  const coming = checkpoints.flatMap((one) => (one.state === 'downloading' ? [one.name] : []));
  return (
    <VerdictLine
      verdict={modelsVerdict({ kind: ref.kind, name: name ?? '', status, info, coming })}
    />
  );
};

/** The device that all verdicts refer to. */
const DeviceLine = () => {
  const limits = useDeviceLimits();
  const storage = useStorageUse();
  if (!limits) return <p className="fine">Checking this device …</p>;
  return (
    <p className="fine device-line" data-testid="device">
      {limits.device === 'webgpu' ? (
        <>
          Models run on the GPU (<Terms>WebGPU</Terms>)
        </>
      ) : (
        'No usable GPU: models run on the CPU'
      )}{' '}
      with at most {formatBytes(limits.memory)} ({limits.basis}).{' '}
      {storage === null
        ? 'The browser does not report its disk quota.'
        : `${formatBytes(Math.max(0, storage.quotaBytes - storage.usedBytes))} of disk left for this site.`}
    </p>
  );
};

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Agreement of quantized weights and KV cache with the checkpoint, measured on demand. */
const AgreementLine = ({ policy }: { policy: PolicyInfo }) => {
  const trial = useModels((state) => state.agreement);
  // Only these types are lossy.
  const packed =
    policy.onDevice === 'int8' ||
    policy.onDevice === 'int4' ||
    policy.onDevice === 'mixed' ||
    policy.keys === 'f16';
  if (!packed) return null;
  if (trial.status === 'running')
    return (
      <p className="trial-line" role="status">
        Comparing with the checkpoint: layer {trial.progress.done}
        {trial.progress.layers > 0 ? ` of ${trial.progress.layers}` : ''}
        {trial.progress.layers > 0 ? (
          <TimeLeft of={policy.id} share={trial.progress.done / trial.progress.layers} />
        ) : null}{' '}
        …
        <Button size="compact-xs" variant="default" onClick={() => stopTrial('agreement')}>
          Stop
        </Button>
      </p>
    );
  // Another policy or type may have been loaded since.
  const known =
    trial.status === 'done' &&
    trial.policy.id === policy.id &&
    trial.policy.revision === policy.revision &&
    trial.policy.onDevice === policy.onDevice &&
    trial.policy.keys === policy.keys;
  return (
    <p className="trial-line" role="status">
      {known ? (
        <span>
          agreement with the checkpoint: <Terms>KL</Terms> <b>{trial.result.kl.toPrecision(2)}</b>{' '}
          nats, same top token for <b>{percent(trial.result.top1)}</b>, {trial.result.tokens} tokens
        </span>
      ) : null}
      {trial.status === 'failed' ? <span className="tone-bad">⚠ {trial.message}</span> : null}
      <Button size="compact-xs" variant="default" onClick={() => void startAgreement()}>
        {known ? 'Measure again' : 'Measure agreement with the checkpoint'}
      </Button>
    </p>
  );
};

/** The way from a model file to a model that searches, as a chapter of the tour. */
const TeachCard = () => (
  <section aria-labelledby="teach">
    <h2 id="teach">Teach a real model to search</h2>
    <p>
      Open a GGUF file, make demonstrations from your questions and passages, and train an adapter
      in this tab: a cold start, then RL. The tour shows each step.
    </p>
    <Button size="xs" onClick={() => openChapter('real-model')}>
      Show me how
    </Button>
  </section>
);

/** The loaded policy and retriever. */
const Loaded = () => {
  const { status } = useSession((state) => state.parts.policy);
  // Until another model is ready, the store names the one before it.
  const policy = useSession((state) => (status === 'loading' ? null : state.policy));
  const device = useSession((state) => state.device);
  const sources = useSession((state) => state.sources);
  const questions = useSession((state) => state.questions.length);
  const retrieval = useSession((state) => state.parts.retrieval);
  return (
    <div className="models-loaded">
      <section aria-labelledby="loaded">
        <h2 id="loaded">Loaded now</h2>
        {policy && device ? (
          // Its card has the facts of its file.
          <dl className="pairs">
            <Pair name="checkpoint" value={policy.id} />
            {policy.revision ? <Pair name="revision" value={policy.revision} /> : null}
            {/* A checkpoint’s card has its context length; servers and WebLLM have no card. */}
            {policy.onDevice ? null : (
              <Pair name="context length" value={`${formatCount(policy.maxContext)} tokens`} />
            )}
            {policy.onDevice ? (
              <Pair
                name="precision"
                value={
                  policy.onDevice === 'mixed'
                    ? 'each matrix as in its file, computed in f32'
                    : `stored as ${policy.onDevice}, computed in f32`
                }
              />
            ) : null}
            {policy.keys ? <Pair name="KV cache" value={policy.keys} /> : null}
            {policy.logprobs ? <Pair name="log-probabilities" value={policy.logprobs} /> : null}
            <Pair name="device" value={deviceWords(device)} />
          </dl>
        ) : (
          <p className="fine">
            {status === 'loading' ? 'A model is being loaded …' : 'No model is loaded.'}
          </p>
        )}
        {policy?.notes?.map((note) => (
          <p key={note} className="tone-hint">
            ⚠ {note}
          </p>
        ))}
        {policy ? <AgreementLine policy={policy} /> : null}
      </section>
      <section aria-labelledby="retrieval">
        <h2 id="retrieval">Retrieval</h2>
        <p>
          <Terms>{retrieval.note}</Terms>
        </p>
        {sources ? (
          <dl className="pairs">
            <Pair name="local corpus" value={`${formatCount(sources.localPassages)} passages`} />
            <Pair
              name="web corpus"
              value={sources.web ?? `${formatCount(sources.webPassages ?? 0)} passages`}
            />
            <Pair name="questions" value={formatCount(questions)} />
          </dl>
        ) : null}
      </section>
      <TeachCard />
    </div>
  );
};

/** Models: what is loaded, what this device can load or a server offers, encoders, and device measurements. */
const ModelsPage = () => {
  useNeeds('sources', 'policy');
  return (
    <main className="page wide">
      <h1>Models</h1>
      <ModelNow />
      <LoadingFailure />
      <LoadingList />
      <DeviceLine />
      <div className="models-top">
        <Loaded />
        <CheckpointsSection />
        <div className="models-more">
          <ServersSection />
          <WebLlmSection />
          <EncodersSection />
          <MeasureSection />
        </div>
      </div>
      {/* Last, because it is long. */}
      <PublishedSection />
    </main>
  );
};

export default ModelsPage;
