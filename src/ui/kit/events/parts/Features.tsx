import { formatNumber, formatSigned, plural } from '../../words/format.ts';
import type { EventOf } from './definition.ts';

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
export const Features = ({ features }: { features: EventOf<'route'>['features'] }) => {
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
