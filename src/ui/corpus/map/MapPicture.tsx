import { memo, useMemo } from 'react';
import type { PassageMap } from '../../../lab/contract/clusters.ts';
import { PointedPicture } from '../../kit/charts/picture/PointedPicture.tsx';
import {
  dotPaths,
  nearestPoint,
  planMap,
  pointTowards,
  type Mark,
  type MapPlan,
} from './map-plan.ts';
import type { MarkedQuery } from './marks.ts';

/** Distinct colours; further clusters reuse them. */
const COLOURS = 8;
/** Distance in pixels within which the pointer selects a dot. */
const NEAR = 12;

/** All passages; `quiet` fades them under marks. Memoised: pointing moves only a ring. */
const Dots = memo((props: { plan: MapPlan; clusters: Int32Array; quiet: boolean }) => {
  const { plan, clusters, quiet } = props;
  const paths = useMemo(
    () => dotPaths(plan, (point) => (clusters[point] ?? 0) % COLOURS, COLOURS),
    [plan, clusters],
  );
  return (
    <g className={quiet ? 'map-dots quiet' : 'map-dots'}>
      {paths.map((d, colour) => (
        <path key={colour} d={d} stroke={`var(--series-${colour})`} />
      ))}
    </g>
  );
});

/** The shape shows the kind, not only the colour: gold a star, the web a triangle, a miss a cross. */
const Shape = ({ mark, at: [x, y] }: { mark: Mark; at: readonly [number, number] }) => {
  const gold = mark.kind === 'gold' || mark.kind === 'hit-gold';
  return (
    <g transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`} className={`map-mark ${mark.kind}`}>
      {mark.kind === 'missed' ? (
        <path d="M-4 -4L4 4M-4 4L4 -4" />
      ) : mark.web ? (
        <path d="M0 -6L6 5H-6Z" />
      ) : (
        <circle r={5} />
      )}
      {gold ? (
        <path
          className="map-gold"
          d="M0 -11L2.6 -3.6L10.5 -3.4L4.2 1.4L6.5 8.9L0 4.4L-6.5 8.9L-4.2 1.4L-10.5 -3.4L-2.6 -3.6Z"
        />
      ) : null}
      {mark.rank !== null && mark.rank <= 9 ? (
        <text x={9} y={4}>
          {mark.rank}
        </text>
      ) : null}
    </g>
  );
};

interface MapPictureProps {
  map: PassageMap;
  /** The marks of a search; null before one, when all dots have full strength. */
  marked: MarkedQuery | null;
  width: number;
  /** Describes a point in one sentence. */
  says: (point: number) => string;
  open: (point: number) => void;
}

/** Passages as dots, with the marks of a search; dots are chosen by pointer or arrow keys. */
export const MapPicture = ({ map, marked, width, says, open }: MapPictureProps) => {
  const height = Math.round(Math.min(560, Math.max(260, width * 0.5)));
  const plan = useMemo(
    () =>
      planMap(
        map,
        width,
        height,
        marked ? [marked.at, ...marked.marks.map(({ place }) => place)] : [],
      ),
    [map, marked, width, height],
  );
  // The first arrow key selects the best hit.
  const first = marked?.marks.find(({ point }) => point !== null)?.point ?? 0;
  const [queryX, queryY] = marked ? plan.toPixels(marked.at) : [0, 0];
  return (
    <PointedPicture
      className="passage-map"
      label="Passages: arrow keys move between dots, Enter opens one"
      count={map.titles.length}
      says={says}
      none="no passage selected"
      reads="Similar passages are close to each other."
      hint="Point at a dot, or use the arrow keys. Click it, or press Enter, to open it."
      placeAt={(x, y) => nearestPoint(plan, x, y, NEAR)}
      next={(from, towards) => (from === null ? first : pointTowards(plan, from, towards))}
      open={open}
      renderDrawing={(chosen) => (
        <svg width={width} height={height} aria-hidden="true">
          <Dots plan={plan} clusters={map.clusters} quiet={marked !== null} />
          {marked ? (
            <>
              {marked.marks.map((mark, i) => (
                <Shape key={i} mark={mark} at={plan.toPixels(mark.place)} />
              ))}
              <g transform={`translate(${queryX} ${queryY})`} className="map-query">
                <path d="M0 -8V8M-8 0H8" />
                <text x={11} y={-6}>
                  query
                </text>
              </g>
            </>
          ) : null}
          {chosen === null ? null : (
            <circle
              cx={plan.pixels[2 * chosen]}
              cy={plan.pixels[2 * chosen + 1]}
              r={7}
              className="map-ring"
            />
          )}
        </svg>
      )}
    />
  );
};
