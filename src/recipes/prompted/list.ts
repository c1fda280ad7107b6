import type { Recipe } from '../parts/recipe.ts';
import { activeRag } from './active-rag.ts';
import { chainOfThought } from './chain-of-thought.ts';
import { flare } from './flare.ts';
import { instructRag } from './instruct-rag.ts';
import { ircot } from './ircot.ts';
import { iterRetgen } from './iter-retgen.ts';
import { rat } from './rat.ts';
import { react } from './react.ts';
import { rewriteRetrieveRead } from './rewrite-retrieve-read.ts';
import { searChain } from './sear-chain.ts';
import { selfAsk } from './self-ask.ts';
import { selfRag } from './self-rag.ts';

/** Systems that are prompted and not trained. */
export const PROMPTED: readonly Recipe[] = [
  chainOfThought,
  rewriteRetrieveRead,
  ircot,
  iterRetgen,
  selfAsk,
  rat,
  react,
  flare,
  selfRag,
  searChain,
  instructRag,
  activeRag,
];
