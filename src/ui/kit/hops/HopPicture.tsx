import { normalizeAnswer } from '../../../agent/answers/normalisers.ts';
import {
  type Hop,
  type HopMap,
  HOP_NAMES,
  type HopState,
} from '../../../evaluate/rollouts/hops.ts';
import { Picture } from '../charts/picture/Picture.tsx';
import { fitted } from '../charts/fitted.ts';
import { asksWords, relationWords } from '../words/step-words.ts';
import './hops.css';

/** Layout of the hop map's nodes, in CSS pixels. */

/** A node is as wide as its row allows, from `least` to `width`. */
export const NODE = { width: 300, least: 176, height: 96 } as const;
/** Gap for the arrows. */
const GAP = { x: 30, y: 30 } as const;

/** Upper left corner of a node. */
interface Place {
  x: number;
  y: number;
}

/** Top left corners of the nodes, and the total size. */
interface HopLayout {
  places: Place[];
  width: number;
  height: number;
  /** Width of a node. */
  node: number;
}

/**
 * Nodes in reading order; each row shares the width.
 * @param width of the page's column
 */
export function hopLayout(count: number, width: number): HopLayout {
  const fit = Math.max(1, Math.floor((width - 2 + GAP.x) / (NODE.least + GAP.x)));
  // Rows of similar length: five nodes where four fit become three and two.
  const columns = fit === 1 ? 1 : Math.min(fit, Math.ceil(count / Math.ceil(count / fit)));
  // Stacked nodes take the whole width.
  const room = Math.floor((width - 2 - (columns - 1) * GAP.x) / columns);
  const node = columns > 1 ? Math.min(NODE.width, room) : Math.max(120, width - 2);
  const rows = Math.max(1, Math.ceil(count / columns));
  const places = Array.from({ length: count }, (_, i) => ({
    x: (i % columns) * (node + GAP.x) + 1,
    y: Math.floor(i / columns) * (NODE.height + GAP.y) + 1,
  }));
  const used = Math.min(columns, count);
  return {
    places,
    node,
    width: used * node + (used - 1) * GAP.x + 2,
    height: rows * NODE.height + (rows - 1) * GAP.y + 2,
  };
}

/** The line between nodes: straight within a row, else down to the next row. */
export const arrowPath = (from: Place, to: Place, node: number): string => {
  const middle = NODE.height / 2;
  if (from.y === to.y) return `M${from.x + node + 2} ${from.y + middle}H${to.x - 3}`;
  const bottom = from.y + NODE.height;
  const turn = (bottom + to.y) / 2;
  return `M${from.x + node / 2} ${bottom + 2}V${turn}H${to.x + node / 2}V${to.y - 3}`;
};

/** Texts of the hop map. */

/** A symbol per state, so that meaning does not depend on colour. */
export const HOP_SIGNS: Record<HopState, string> = {
  read: '✓',
  arrived: '●',
  misread: '✗',
  'not-found': '○',
  'wrong-source': '⇄',
  'not-searched': '∅',
};

/** Whether the passage was retrieved and not visibly misread. */
export const isFound = (state: HopState): boolean => state === 'read' || state === 'arrived';

const SOURCES = { local: 'local corpus', web: 'web', both: 'both sources' } as const;

/** When the passage was found, or how often it was searched. */
export const whenWords = ({ look, asked, state, source, refused }: Hop): string => {
  if (look === 0) return 'in the background';
  if (look !== null) return `search ${look}`;
  if (refused) return 'the query was refused';
  if (state === 'wrong-source' && source) return `it is in the ${SOURCES[source]}`;
  if (asked.length > 0)
    return asked.length === 1 ? `search ${asked[0]}` : `searches ${asked.join(', ')}`;
  return 'no query named it';
};

/** A hop in one sentence, for screen readers. */
export const hopLabel = (hop: Hop, at: number): string =>
  [
    `hop ${at + 1}`,
    hop.subject || hop.query ? `${asksWords(hop)}: ${hop.object}` : hop.title,
    HOP_NAMES[hop.state],
    whenWords(hop),
    ...(hop.instead === null ? [] : [`used ${hop.instead} instead`]),
  ].join(', ');

/** What the map says of itself. */
export const mapNote = (map: HopMap): string | null => {
  if (map.kind === 'none') return `No hop map: ${map.why}.`;
  if (map.kind === 'titles')
    return 'The record has supporting titles but no gold chain, so their order and the facts in them are unknown.';
  return map.missing
    ? `No corpus states the ${relationWords(map.missing.relation)} of ${map.missing.subject}: the right answer is to say so.`
    : null;
};

/** The state of a hop, in the legend. */
export const stateName = (state: HopState): string => HOP_NAMES[state];

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
