import { setupSchemaOf, webSpecSchemaOf } from '../records/setup.ts';
import { ENGINES } from './engines/kinds/list.ts';
import { LOCAL_METHODS } from './methods/list.ts';

/** Setups as this version can search by them: the shapes of `records/setup.ts` with what the lists hold. */

export const METHOD_IDS: readonly string[] = LOCAL_METHODS.map(({ id }) => id);
const ENGINE_IDS: readonly string[] = ENGINES.map(({ id }) => id);

export const webSpecSchema = webSpecSchemaOf(ENGINE_IDS);
export const setupSchema = setupSchemaOf(METHOD_IDS, ENGINE_IDS);
