/**
 * A hidden tab may be frozen or slowed by the browser. The page notices afterwards: nothing arrived
 * for long, while it was hidden and something was training.
 */

/** Messages come several times per second while rollouts run; an update is silent for some seconds. */
const SILENCE_MS = 20_000;

/** What is needed to tell a frozen tab from an idle lab. */
export interface Silence {
  /** Time of the last message, of `Date.now()`. */
  heardAt: number;
  /** Whether the page was hidden at any time since then. */
  hidden: boolean;
}

/** Seconds of a silence that the browser is to blame for; null where there was none. */
export const frozenSeconds = (silence: Silence, now: number): number | null => {
  const gap = now - silence.heardAt;
  return silence.hidden && gap >= SILENCE_MS ? Math.round(gap / 1000) : null;
};

/** What the page says of such a silence, until it is put away. */
export const frozenText = (seconds: number): string =>
  `Nothing arrived for ${seconds} s while this tab was in the background: the browser froze or slowed it. Training continues now; keep the tab in front, or in its own window, for full speed.`;
