import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { messageOf } from '../../../base/errors.ts';
import type { PassageMap } from '../../../lab/contract/clusters.ts';
import type { Passage } from '../../../records/records.ts';
import type { LocalSpec } from '../../../records/setup.ts';
import { Picture } from '../../kit/charts/picture/Picture.tsx';
import { Table, type Head } from '../../kit/Table.tsx';
import { formatCount, formatShare, plural } from '../../kit/words/format.ts';
import { TimeLeft } from '../../kit/words/TimeLeft.tsx';
import { lab } from '../../lab/connection.ts';
import { corpusSearch } from '../store/corpus-address.ts';
import type { Mark } from './map-plan.ts';
import { MapPicture } from './MapPicture.tsx';
import type { MarkedQuery } from './marks.ts';
import type { OpenedMap } from './use-map.ts';
import './map.css';

/** The names of the marks. */
const KINDS: Record<Mark['kind'], string> = {
  hit: 'found',
  'hit-gold': 'gold, found',
  gold: 'gold, not found',
  missed: 'missed (the exact scan finds it)',
};

const MARK_HEADS: readonly Head[] = [
  ['rank', 'figure'],
  ['passage'],
  ['what'],
  ['source'],
  ['cluster', 'figure'],
];
const POINT_HEADS: readonly Head[] = [['passage'], ['cluster', 'figure']];
/** Table rows without a search; a search finds the others. */
const MOST_ROWS = 300;

/** The map as a table: the marks, or before a search the passages by cluster. */
const MapTable = (props: {
  map: PassageMap;
  marked: MarkedQuery | null;
  open: (point: number) => void;
}) => {
  const { map, marked, open } = props;
  const name = (point: number | null, title: string) =>
    point === null ? (
      title
    ) : (
      <button type="button" className="link" onClick={() => open(point)}>
        {title}
      </button>
    );
  if (marked)
    return (
      <Table className="plain-table" heads={MARK_HEADS}>
        {marked.marks.map((mark, i) => (
          <tr key={i}>
            <td className="figure">{mark.rank ?? '–'}</td>
            <td>{name(mark.point, mark.title)}</td>
            <td>{KINDS[mark.kind]}</td>
            <td>{mark.web ? 'web' : 'local'}</td>
            <td className="figure">{mark.point === null ? '–' : map.clusters[mark.point]}</td>
          </tr>
        ))}
      </Table>
    );
  const order = Array.from(map.clusters, (cluster, point) => ({ cluster, point }))
    .toSorted((a, b) => a.cluster - b.cluster || a.point - b.point)
    .slice(0, MOST_ROWS);
  return (
    <>
      <Table className="plain-table" heads={POINT_HEADS}>
        {order.map(({ cluster, point }) => (
          <tr key={point}>
            <td>{name(point, map.titles[point] ?? '')}</td>
            <td className="figure">{cluster}</td>
          </tr>
        ))}
      </Table>
      {map.titles.length > MOST_ROWS ? (
        <p className="fine">
          The first {MOST_ROWS} of {formatCount(map.titles.length)} by cluster; a search marks its
          results.
        </p>
      ) : null}
    </>
  );
};

/** A whole passage, below the map. */
const Opened = ({ passage, close }: { passage: Passage; close: () => void }) => (
  <article className="map-passage" aria-label={`Passage: ${passage.title}`}>
    <p>
      <b>{passage.title}</b> <Link href={corpusSearch(passage.title)}>Search for it</Link>{' '}
      <button type="button" className="link" onClick={close}>
        Close
      </button>
    </p>
    <p>{passage.text}</p>
  </article>
);

/** The marks on the map. */
const legendOf = ({ query, marks }: MarkedQuery): string => {
  const signs = [
    `+ the query “${query}”`,
    ...(marks.some(({ rank }) => rank !== null) ? ['○ found, with its rank'] : []),
    ...(marks.some(({ kind }) => kind.includes('gold')) ? ['★ gold'] : []),
    ...(marks.some(({ web }) => web) ? ['△ from the web'] : []),
    ...(marks.some(({ kind }) => kind === 'missed') ? ['× missed'] : []),
  ];
  return ` ${signs.join(', ')}.`;
};

/** How many passages are shown, and how much variance the plane explains. */
const Note = ({ map, marked }: { map: PassageMap; marked: MarkedQuery | null }) => {
  const [first, second] = map.shares;
  return (
    <>
      {map.titles.length < map.passages
        ? `${formatCount(map.titles.length)} of ${plural(map.passages, 'passage')}, evenly spread`
        : plural(map.passages, 'passage')}{' '}
      on the first two principal components of their vectors ({map.encoder}), which explain{' '}
      {formatShare(first + second)} of the variance, so near on the map is not always near. Colour =
      cluster; with more than eight, some share a colour.
      {marked ? legendOf(marked) : ''}
    </>
  );
};

/** In place of a missing map: progress, why there is none, or the failure. */
const Waiting = ({ opened }: { opened: OpenedMap }) => {
  const { progress, error, without } = opened;
  if (error)
    return (
      <span role="alert" className="tone-bad">
        ⚠ {error}{' '}
        <Button size="compact-sm" variant="default" onClick={opened.again}>
          Try again
        </Button>
      </span>
    );
  if (without)
    return (
      <>
        These passages have no vectors, so there is no map.{' '}
        <Link href="/cluster">Encode them on Clusters</Link>, or choose a search method with
        vectors.
      </>
    );
  return (
    <span role="status">
      {progress ? progress.stage : 'Loading the passages'} …
      {progress && progress.total > 1
        ? ` ${formatCount(progress.done)} of ${formatCount(progress.total)}`
        : ''}
      {progress && progress.total > 1 ? (
        <TimeLeft of={progress.stage} share={progress.done / progress.total} />
      ) : null}{' '}
      <Button size="compact-sm" variant="default" onClick={opened.stop}>
        Stop
      </Button>
    </span>
  );
};

/** A map of a source's passages by meaning, with the results of a search. */
export const PassageMapView = (props: {
  local: LocalSpec;
  opened: OpenedMap;
  marked: MarkedQuery | null;
}) => {
  const { local, opened, marked } = props;
  const { map } = opened;
  const [passage, setPassage] = useState<Passage | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const open = async (point: number) => {
    setProblem(null);
    try {
      // A map of a large source is a sample: its points have their own row numbers.
      setPassage(await lab().clusters.passage(local, map?.rows[point] ?? -1));
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const marks = new Map(marked?.marks.map((mark) => [mark.point, mark]));
  const says = (point: number): string => {
    const mark = marks.get(point);
    const rank = mark?.rank ? `, rank ${mark.rank}` : '';
    return `${map?.titles[point] ?? ''}: cluster ${map?.clusters[point] ?? ''}${mark ? `; ${KINDS[mark.kind]}${rank}` : ''}.`;
  };
  return (
    <Picture
      id="passages"
      heading="h2"
      title="Map of passages"
      note={map ? <Note map={map} marked={marked} /> : undefined}
      empty={map ? null : <Waiting opened={opened} />}
      renderPicture={(width) =>
        map ? (
          <MapPicture
            map={map}
            marked={marked}
            width={width}
            says={says}
            open={(point) => void open(point)}
          />
        ) : null
      }
      renderTable={() =>
        map ? <MapTable map={map} marked={marked} open={(point) => void open(point)} /> : null
      }
      foot={
        problem ? (
          <p role="alert" className="tone-bad">
            ⚠ The passage could not be read: {problem}
          </p>
        ) : passage ? (
          <Opened passage={passage} close={() => setPassage(null)} />
        ) : null
      }
    />
  );
};
