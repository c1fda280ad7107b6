import { Terms } from '../../words/explain/Term.tsx';
import { Tooltip } from '@mantine/core';
import type { RetrieveEvent, RouteEvent } from '../../../../records/events.ts';
import type { Rollout } from '../../../../records/rollout.ts';
import { formatMs, formatNumber, formatShare, plural, formatSigned } from '../../words/format.ts';
import { Icon } from '../../Icon.tsx';
import type { CardDefinition, EventOf } from '../parts/definition.ts';

const FeatureRow = (props: { name: string; value: number; contribution: number; max: number }) => {
  const width = props.max === 0 ? 0 : (Math.abs(props.contribution) / props.max) * 50;
  const toWeb = props.contribution >= 0;
  return (
    <tr>
      <th scope="row">{props.name}</th>
      <td className="figure">{formatNumber(props.value)}</td>
      <td className="signed" aria-hidden="true">
        <span
          className={toWeb ? 'signed-bar web' : 'signed-bar local'}
          style={{ width: `${width}%`, [toWeb ? 'left' : 'right']: '50%' }}
        />
      </td>
      <td className="figure">{formatSigned(props.contribution)}</td>
    </tr>
  );
};

type Feature = EventOf<'route'>['features'][number];

const FeatureTable = ({ features, max }: { features: readonly Feature[]; max: number }) => (
  <table className="features">
    <thead>
      <tr>
        <th scope="col">feature of the state</th>
        <th scope="col" className="figure">
          value
        </th>
        <th scope="col" className="centre">
          ← local · web →
        </th>
        <th scope="col" className="figure">
          to logit
        </th>
      </tr>
    </thead>
    <tbody>
      {features.map((feature) => (
        <FeatureRow key={feature.name} {...feature} max={max} />
      ))}
    </tbody>
  </table>
);

const weight = (feature: Feature): number => Math.abs(feature.contribution);

/** Features by their influence on the choice; those without influence are folded. */
const Features = ({ features }: { features: EventOf<'route'>['features'] }) => {
  const moved = features.filter((feature) => weight(feature) >= 0.005);
  const idle = features.filter((feature) => weight(feature) < 0.005);
  const max = Math.max(0, ...features.map(weight));
  return (
    <>
      {moved.length > 0 ? (
        <FeatureTable features={moved.sort((a, b) => weight(b) - weight(a))} max={max} />
      ) : null}
      {idle.length > 0 ? (
        <details>
          <summary>{plural(idle.length, 'feature')} played no part</summary>
          <FeatureTable features={idle} max={max} />
        </details>
      ) : null}
    </>
  );
};

const ROUTE_BY: Record<RouteEvent['by'], string> = {
  fixed: 'fixed, not sampled',
  router: 'router',
  'policy-tag': 'model’s tag',
};

const routeLine = (event: RouteEvent): string =>
  `${event.of === undefined ? '' : `${event.of}: `}${choiceLine(event)}`;

/** Searching both sources is not a choice: there is no probability. */
const choiceLine = (event: RouteEvent): string =>
  event.choice === 'both'
    ? `both sources · ${ROUTE_BY[event.by]}`
    : event.by === 'router'
      ? `${event.choice}, ${formatShare(event.probabilities[event.choice])} · ${ROUTE_BY[event.by]}${event.routing === 'argmax' ? ', the more likely source' : ''}`
      : `${event.choice} · ${ROUTE_BY[event.by]}`;

/** The two probabilities as a bar and as text. */
const SplitBar = ({ local, web, choice }: { local: number; web: number; choice: string }) => (
  <div className="split">
    <span className={choice === 'local' ? 'of-local strong' : 'of-local'}>
      <Icon name="local" size={12} /> local {formatShare(local)}
    </span>
    <span className="split-bar" aria-hidden="true">
      <span className="split-local" style={{ width: `${local * 100}%` }} />
      <span className="split-web" style={{ width: `${web * 100}%` }} />
    </span>
    <span className={choice === 'web' ? 'of-web strong' : 'of-web'}>
      web <Icon name="web" size={12} /> {formatShare(web)}
    </span>
  </div>
);

const Term = ({ label, value, tip }: { label: string; value: number; tip: string }) => (
  <Tooltip label={tip} multiline w={280} events={{ hover: true, focus: true, touch: true }}>
    <button type="button" className="term">
      <span>{label}</span> <b>{formatNumber(value)}</b>
    </button>
  </Tooltip>
);

const Reward = ({ reward }: { reward: NonNullable<RouteEvent['reward']> }) => {
  const paper = reward.mode === 'paper';
  return (
    <div className="terms">
      <Term
        label="R_eff"
        value={reward.efficiency}
        tip={
          paper
            ? 'Equation (21): 0.42 for local, 0 for web, in every case.'
            : 'Equation (21), measured: latency saved by this call.'
        }
      />
      <Term
        label="R_info"
        value={reward.information}
        tip={
          paper
            ? 'Equation (22): 0.35 for web, 0 for local, in every case.'
            : 'Equation (22), measured: new supporting evidence from this call.'
        }
      />
      <Term
        label="R(a)"
        value={reward.total}
        tip={`Equation (20): β1 R_eff + β2 R_info with β1 = ${reward.beta1}, β2 = ${reward.beta2}; reward "${reward.mode}".`}
      />
      <span className="fine">Router reward ({reward.mode}); used in training only</span>
    </div>
  );
};

/** Cost and yield of the following call. */
type CallFacts = Pick<RetrieveEvent, 'latencyMs' | 'addedDelayMs' | 'newSupporting'>;

/** The retrieval after a routing decision. */
const callAfter = (rollout: Rollout, index: number): CallFacts | null => {
  for (const event of rollout.events.slice(index + 1)) {
    if (event.kind === 'retrieve') return event;
    // The background has no list of supporting titles, only their share.
    if (event.kind === 'background')
      return { latencyMs: event.latencyMs, addedDelayMs: 0, newSupporting: null };
    if (event.kind === 'search' || event.kind === 'route') return null;
  }
  return null;
};

const callLine = (call: CallFacts | null): string => {
  if (!call) return 'The call has not returned.';
  const added = call.addedDelayMs > 0 ? `, ${formatMs(call.addedDelayMs)} added` : '';
  const brought = call.newSupporting
    ? ` and brought ${plural(call.newSupporting.length, 'new supporting title')}`
    : '';
  return `The call took ${formatMs(call.latencyMs)}${added}${brought}.`;
};

/** Both sources: no choice, so neither probability nor reward. */
const BothBody = ({ call }: { call: CallFacts | null }) => (
  <div className="body">
    <p>
      Both sources are searched and their lists fused, so there are no probabilities and no reward.
    </p>
    <p className="fine">{callLine(call)}</p>
  </div>
);

/** Why a source was used; `fixed` has two causes, and the event does not say which. */
const HOW: Record<RouteEvent['by'], string> = {
  router: 'Sampled from the router',
  'policy-tag': 'Named in the model’s tag',
  fixed: 'Fixed, not sampled: by the settings, or the only source that STIE left',
};

const howOf = ({ by, routing }: RouteEvent): string =>
  routing === 'argmax' ? 'The more likely source' : HOW[by];

const RouteBody = ({ event, call }: { event: RouteEvent; call: CallFacts | null }) =>
  event.choice === 'both' ? (
    <BothBody call={call} />
  ) : (
    <div className="body">
      {event.by === 'router' ? <SplitBar {...event.probabilities} choice={event.choice} /> : null}
      <p className="fine">
        <Terms>{howOf(event)}</Terms>: <b>{event.choice}</b>. {callLine(call)}
      </p>
      {event.features.length > 0 ? <Features features={event.features} /> : null}
      {event.reward ? (
        <Reward reward={event.reward} />
      ) : (
        <p className="fine">Reward: not computed; it depends on what the call returns.</p>
      )}
    </div>
  );

/** The card of a choice between local corpus and web, with the reward from the next call. */
export const route: CardDefinition<'route'> = {
  glyph: ({ choice }) => ({
    sign: choice,
    name: `Route: ${choice}`,
    tone: 'hint',
  }),
  line: routeLine,
  lineInBody: false,
  besideText: true,
  Body: ({ event, rollout, index }) => <RouteBody event={event} call={callAfter(rollout, index)} />,
};
