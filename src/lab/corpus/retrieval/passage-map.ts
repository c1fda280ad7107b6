import type { Passage } from '../../../records/records.ts';
import {
  placesIn,
  principalPlane,
  type PrincipalPlane,
} from '../../../retrieval/dense/principal.ts';
import type { OpenedVectors } from '../../../retrieval/open-local.ts';
import type { LocalHooks } from '../../../retrieval/methods/method.ts';
import type { MapPlaces, PassageMap } from '../../contract/clusters.ts';
import type { ClusterView } from './cluster-view.ts';

/** The passages of a source as a map. */

/** More points than this cover each other; of more passages as many are shown, evenly spread. */
const MOST_POINTS = 20_000;

export interface OpenMap {
  map: PassageMap;
  plane: PrincipalPlane;
}

interface MapHooks extends LocalHooks {
  onStage: (stage: string, done: number, total: number) => void;
}

/** @throws the signal's reason when aborted */
export async function openMap(
  { vectors, passages, clusters }: ClusterView,
  hooks: MapHooks,
): Promise<OpenMap> {
  const table = await vectors.read(hooks);
  const start = performance.now();
  const plane = await principalPlane(table, {
    ...(hooks.signal && { signal: hooks.signal }),
    onProgress: (done, total) => hooks.onStage('finding the plane', done, total),
  });
  const step = Math.max(1, passages.length / MOST_POINTS);
  const rows = Int32Array.from({ length: Math.floor(passages.length / step) }, (_, i) =>
    Math.floor(i * step),
  );
  const all = placesIn(plane, table);
  const places = new Float32Array(2 * rows.length);
  for (const [i, row] of rows.entries()) places.set(all.subarray(2 * row, 2 * row + 2), 2 * i);
  const shown = Array.from(rows, (row) => passages[row]);
  return {
    plane,
    map: {
      kind: 'map',
      passages: passages.length,
      rows,
      places,
      clusters: rows.map((row) => clusters.index.clusterOf(row)),
      ids: shown.map((passage) => passage?.id ?? ''),
      titles: shown.map((passage) => passage?.title ?? ''),
      shares: plane.shares,
      encoder: vectors.encoder.id,
      ms: performance.now() - start,
    },
  };
}

const pairs = (places: Float32Array): (readonly [number, number])[] =>
  Array.from({ length: places.length / 2 }, (_, i) => [places[2 * i] ?? 0, places[2 * i + 1] ?? 0]);

/** Where a query, and passages of other sources, lie in the plane. */
export async function placesOf(
  plane: PrincipalPlane,
  encoder: OpenedVectors['encoder'],
  query: string,
  passages: readonly Passage[],
): Promise<MapPlaces> {
  const vector = await encoder.encodeQuery(query);
  const [at = [0, 0]] = pairs(placesIn(plane, { dimensions: vector.length, values: vector }));
  const others = passages.length > 0 ? await encoder.encodePassages(passages) : null;
  return { query: at, passages: others ? pairs(placesIn(plane, others)) : [] };
}
