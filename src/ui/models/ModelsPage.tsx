import { formatCount } from '../kit/words/format.ts';
import { LoadingFailure, LoadingList } from '../lab/Loading.tsx';
import { AgreementLine } from './AgreementLine.tsx';
import { CheckpointsSection } from './CheckpointsSection.tsx';
import { EncodersSection } from './EncodersSection.tsx';
import { MeasureSection } from './MeasureSection.tsx';
import { ServersSection } from './ServersSection.tsx';
import { WebLlmSection } from './WebLlmSection.tsx';
import { useLab } from '../lab/lab-store.ts';
import { useNeeds } from '../lab/use-needs.ts';
import './models.css';
import './checkpoints.css';

const Pair = ({ name, value }: { name: string; value: string }) => (
  <>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </>
);

/** Facts of what is loaded; nothing here is typed in by hand. */
const ModelsPage = () => {
  useNeeds('sources', 'policy');
  const policy = useLab((state) => state.policy);
  const device = useLab((state) => state.device);
  const sources = useLab((state) => state.sources);
  const questions = useLab((state) => state.questions.length);
  const retrieval = useLab((state) => state.parts.retrieval);
  return (
    <main className="page">
      <h1>Models</h1>
      <LoadingFailure />
      <LoadingList />
      <h2>Policy</h2>
      {policy && device ? (
        <dl className="pairs">
          <Pair name="checkpoint" value={policy.id} />
          {policy.revision ? <Pair name="revision" value={policy.revision} /> : null}
          {policy.parameters > 0 ? (
            <Pair name="parameters" value={formatCount(policy.parameters)} />
          ) : null}
          <Pair name="longest context" value={`${formatCount(policy.maxContext)} tokens`} />
          {policy.dtype ? <Pair name="stored as" value={policy.dtype} /> : null}
          {policy.onDevice ? (
            <Pair name="held as" value={`${policy.onDevice}, computed in f32`} />
          ) : null}
          {policy.logprobs ? <Pair name="log-probabilities" value={policy.logprobs} /> : null}
          <Pair
            name="device"
            value={`${device.device} · ${device.adapter}${device.fallback ? ' (software)' : ''}`}
          />
        </dl>
      ) : (
        <p className="fine">The policy has not been loaded.</p>
      )}
      {policy ? <AgreementLine policy={policy} /> : null}
      <h2>Retrieval</h2>
      <p>{retrieval.note}</p>
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
      <MeasureSection />
      <CheckpointsSection />
      <ServersSection />
      <WebLlmSection />
      <EncodersSection />
    </main>
  );
};

export default ModelsPage;
