import type { ClusterAnswer, MapPlaces, PassageMap } from '../../../lab/contract/clusters.ts';
import type { Hit } from '../../../records/hits.ts';
import type { Mark } from './map-plan.ts';

/** Results of a search as map marks. */

/** A search on the map. */
export interface MarkedQuery {
  query: string;
  /** Position of the query in the plane. */
  at: readonly [number, number];
  marks: Mark[];
}

const placeOf = ({ places }: PassageMap, point: number): readonly [number, number] => [
  places[2 * point] ?? 0,
  places[2 * point + 1] ?? 0,
];

/** Titles in normalised form. */
const plain = (text: string): string => text.trim().toLowerCase();

/** Hits of the retriever, web hits at their own positions; also gold that was not found. */
export function marksOfHits(
  map: PassageMap,
  query: string,
  hits: readonly Hit[],
  gold: readonly string[],
  { query: at, passages }: MapPlaces,
): MarkedQuery {
  const points = new Map(map.ids.map((id, point) => [id, point]));
  const goldTitles = new Set(gold.map(plain));
  let web = 0;
  const marks = hits.flatMap(({ passage, source }, i): Mark[] => {
    const { title } = passage;
    const kind = goldTitles.has(plain(title)) ? 'hit-gold' : 'hit';
    const common = { kind, rank: i + 1, title } as const;
    if (source === 'web') {
      const place = passages[web++];
      return place ? [{ ...common, point: null, place, web: true }] : [];
    }
    const point = points.get(passage.id);
    return point === undefined
      ? []
      : [{ ...common, point, place: placeOf(map, point), web: false }];
  });
  // Gold is named by titles, not by ids.
  const found = new Set(hits.map(({ passage }) => plain(passage.title)));
  const missed = map.titles.flatMap((title, point): Mark[] =>
    goldTitles.has(plain(title)) && !found.has(plain(title))
      ? [{ kind: 'gold', rank: null, title, point, place: placeOf(map, point), web: false }]
      : [],
  );
  return { query, at, marks: [...marks, ...missed] };
}

/** Hits of a cluster search, and those that the exact scan would have added. */
export function marksOfAnswer(
  map: PassageMap,
  { query, hits, missed }: ClusterAnswer,
  { query: at }: MapPlaces,
): MarkedQuery {
  // The map is a sample and lacks this row.
  const points = new Map([...map.rows].map((row, point) => [row, point]));
  const mark = (
    row: number,
    title: string,
    kind: 'hit' | 'missed',
    rank: number | null,
  ): Mark[] => {
    const point = points.get(row);
    return point === undefined
      ? []
      : [{ kind, rank, title, point, place: placeOf(map, point), web: false }];
  };
  return {
    query,
    at,
    marks: [
      ...hits.flatMap(({ row, title }, i) => mark(row, title, 'hit', i + 1)),
      ...missed.flatMap(({ row, title }) => mark(row, title, 'missed', null)),
    ],
  };
}
