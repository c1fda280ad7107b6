import { knownAs } from '../parts/nearest.ts';
import { diversity } from './diversity.ts';
import { fspo, fspoAsReleased } from './fspo.ts';
import { gppo } from './gppo.ts';
import { guide } from './guide.ts';
import { kdrl } from './kdrl.ts';
import { oneShotRlvr } from './one-shot-rlvr.ts';
import { onlineFiltering } from './online-filtering.ts';
import { posteriorGrpo } from './posterior-grpo.ts';
import { speedRl } from './speed-rl.ts';
import type { Switch } from './switch.ts';
import { sws } from './sws.ts';
import { verifierPitfalls } from './verifier-pitfalls.ts';

/** All switches of training from papers: of questions, of the loss, of rewards. To add one: a file and a line here. */
export const SWITCHES: readonly Switch[] = [
  speedRl,
  onlineFiltering,
  oneShotRlvr,
  sws,
  diversity,
  gppo,
  kdrl,
  guide,
  fspo,
  fspoAsReleased,
  posteriorGrpo,
  verifierPitfalls,
];

/** @throws Error that lists the known ids */
export function getSwitch(id: string): Switch {
  const found = SWITCHES.find((one) => one.id === id);
  if (found) return found;
  throw new Error(
    `there is no switch "${id}"; ${knownAs(
      id,
      SWITCHES.map((one) => one.id),
    )}`,
  );
}
