import { normalizeAnswer } from '../../../agent/answers/normalisers.ts';
import type { Hop, HopMap } from '../../../evaluate/rollouts/hops.ts';
import { Picture } from '../charts/picture/Picture.tsx';
import { fitted } from '../charts/fitted.ts';
import { arrowPath, hopLayout, NODE } from './layout.ts';
import { asksWords } from '../words/step-words.ts';
import { HOP_SIGNS, hopLabel, isFound, mapNote, stateName, whenWords } from './hop-words.ts';
import './hops.css';

/** The gold chain as nodes, filled if their passage was retrieved; each opens its result. */

export interface HopAnswer {
  text: string;
  gold: string;
  /** Null if unknown. */
  right: boolean | null;
}

/** CSS pixels of a bold letter, in the widest system font. */
const BOLD = 8.2;

const Node = ({ hop, width }: { hop: Hop; width: number }) => {
  const room = width - 20;
  return (
    <g className={`hop hop-${hop.state}`}>
      <rect width={width} height={NODE.height} rx={8} className="hop-box" />
      <text x={10} y={19} className="hop-state">
        {HOP_SIGNS[hop.state]} {stateName(hop.state)}
      </text>
      <text x={10} y={40} className="hop-asks">
        {fitted(asksWords(hop), room)}
      </text>
      <text x={10} y={60} className="hop-object">
        {fitted(hop.object || hop.title, room, BOLD)}
      </text>
      <text x={10} y={82} className="hop-when">
        {fitted(hop.instead === null ? whenWords(hop) : `used “${hop.instead}” instead`, room)}
      </text>
    </g>
  );
};

const AnswerNode = ({ answer, width }: { answer: HopAnswer; width: number }) => {
  const { right, text, gold } = answer;
  const tone = right === null ? 'untold' : right ? 'read' : 'misread';
  return (
    <g className={`hop hop-${tone} hop-answer`}>
      <rect width={width} height={NODE.height} rx={20} className="hop-box" />
      <text x={14} y={19} className="hop-state">
        {right === null ? '■ answer' : right ? '✓ answer' : '✗ answer'}
      </text>
      <text x={14} y={46} className="hop-object">
        {fitted(text, width - 28, BOLD)}
      </text>
      <text x={14} y={74} className="hop-when">
        {fitted(`gold: ${gold}`, width - 28)}
      </text>
    </g>
  );
};

/** Whether the next hop starts from the object of this one: then the order matters. */
const leadsOn = (from: Hop, to: Hop | undefined): boolean =>
  to === undefined || normalizeAnswer(from.object) === normalizeAnswer(to.subject);

const Drawing = (props: {
  hops: readonly Hop[];
  answer: HopAnswer;
  width: number;
  chain: boolean;
}) => {
  const { hops, answer, width, chain } = props;
  const { places, node, height, width: used } = hopLayout(hops.length + 1, width);
  return (
    <svg width={used} height={height} aria-hidden="true">
      {chain
        ? hops.map((hop, i) => {
            const [from, to] = [places[i], places[i + 1]];
            if (!from || !to || !leadsOn(hop, hops[i + 1])) return null;
            return (
              <path
                key={i}
                className={isFound(hop.state) ? 'hop-arrow' : 'hop-arrow broken'}
                d={arrowPath(from, to, node)}
              />
            );
          })
        : null}
      {hops.map((hop, i) => (
        <g key={i} transform={`translate(${places[i]?.x ?? 0} ${places[i]?.y ?? 0})`}>
          <Node hop={hop} width={node} />
        </g>
      ))}
      <g transform={`translate(${places.at(-1)?.x ?? 0} ${places.at(-1)?.y ?? 0})`}>
        <AnswerNode answer={answer} width={node} />
      </g>
    </svg>
  );
};

const Table = ({ hops }: { hops: readonly Hop[] }) => (
  <table className="hop-table">
    <thead>
      <tr>
        {['hop', 'asks for', 'says', 'passage', 'source', 'state', 'when', 'used instead'].map(
          (name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ),
        )}
      </tr>
    </thead>
    <tbody>
      {hops.map((hop, i) => (
        <tr key={i}>
          <th scope="row" className="figure">
            {i + 1}
          </th>
          <td>{hop.subject || hop.query ? asksWords(hop) : '–'}</td>
          <td>{hop.object || '–'}</td>
          <td>{hop.title}</td>
          <td>{hop.source ?? 'not known'}</td>
          <td>{stateName(hop.state)}</td>
          <td>{whenWords(hop)}</td>
          <td>{hop.instead ?? '–'}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

interface HopPictureProps {
  map: HopMap;
  answer: HopAnswer;
  /** Name of the rollout, if several are shown. */
  of?: string | null;
  /** Goes to a segment of the rollout. */
  go: (segment: number) => void;
}

type NodesProps = HopPictureProps & { map: Exclude<HopMap, { kind: 'none' }>; width: number };

const Nodes = ({ map, answer, go, width }: NodesProps) => {
  const { hops } = map;
  const { places, node } = hopLayout(hops.length + 1, width);
  return (
    <>
      <Drawing hops={hops} answer={answer} width={width} chain={map.kind === 'chain'} />
      {hops.map((hop, i) => (
        <button
          key={i}
          type="button"
          className="hop-button"
          disabled={hop.segment === null}
          style={{ left: places[i]?.x, top: places[i]?.y, width: node, height: NODE.height }}
          title={hopLabel(hop, i)}
          aria-label={`${hopLabel(hop, i)}${hop.segment === null ? '' : '. Open the result'}`}
          onClick={() => hop.segment !== null && go(hop.segment)}
        />
      ))}
    </>
  );
};

/** The map with its table. */
export const HopPicture = (props: HopPictureProps) => {
  const { map, of = null } = props;
  const note = mapNote(map);
  if (map.kind === 'none') return <p className="fine hop-none">{note}</p>;
  return (
    <Picture
      id="hops"
      title={of === null ? 'Hop map' : `Hop map: ${of}`}
      heading="h2"
      className="hops"
      note="Filled = supporting passage retrieved."
      does="Click one to open it."
      empty={null}
      renderPicture={(width) => <Nodes {...props} map={map} width={width} />}
      renderTable={() => <Table hops={map.hops} />}
      foot={
        note === null ? null : (
          <p className="fine" data-legend="">
            {note}
          </p>
        )
      }
    />
  );
};
