import type { Rollout } from '../records/rollout.ts';

const asksWeb = (source: string): boolean => source === 'web' || source === 'both';

/** Calls that asked the web, the background's too; one that asks both sources counts. */
export function webCalls({ events, recipe }: Pick<Rollout, 'events' | 'recipe'>): number {
  const searches = events.filter((event) => event.kind === 'retrieve' && asksWeb(event.source));
  const { background } = recipe.settings;
  const fixed =
    typeof background === 'object' && background !== null && 'source' in background
      ? String(background.source)
      : '';
  // One that passed through the router went where its own route says, not where the settings do.
  const [source = fixed] = events.flatMap((event) =>
    event.kind === 'route' && event.of === 'background' ? [event.choice] : [],
  );
  const backgrounds = events.filter(
    (event) => event.kind === 'background' && event.mode !== 'off' && asksWeb(source),
  );
  return searches.length + backgrounds.length;
}
