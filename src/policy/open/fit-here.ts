import { parsePolicyConfig, type PolicyConfig } from '../checkpoint/config.ts';
import { cacheLimits } from '../checkpoint/limits.ts';
import type { StoredType } from '../checkpoint/weight-type.ts';
import { parameterCount } from '../checkpoint/weights.ts';
import { MATRIX_TYPES, type MatrixType, type StoreType } from '../ops/values.ts';
import { keyTypeFor, matrixTypeFor } from './device.ts';
import { planFit, type DeviceLimits, type FitPlan } from './fit.ts';

/** Whether a checkpoint can be sampled on a device, and in which type of weights; nothing is loaded. */

/** What is asked of one checkpoint. */
export interface HereQuestion {
  /** `config.json`, parsed. */
  readonly config: Readonly<Record<string, unknown>>;
  /** What weights and contexts are held in, where someone chose. */
  readonly weights?: MatrixType | undefined;
  readonly keys?: StoreType | undefined;
  /** What a GGUF file's matrices are held in by themselves. */
  readonly gguf?: { readonly held: MatrixType } | undefined;
}

/** What it needs with its weights in one type; sizes in bytes. */
export interface TypeNeed {
  readonly type: MatrixType;
  /** Only the weights. */
  readonly weightBytes: number;
  /** With as many contexts at a time as there is room for; with one where there is none. */
  readonly totalBytes: number;
  /** Contexts at a time; 0 where it does not fit. */
  readonly slots: number;
  /** Why it does not fit; null where it does. */
  readonly why: string | null;
}

type HereVerdict =
  | { readonly kind: 'fits'; readonly type: MatrixType; readonly slots: number }
  /** `elsewhere`: a GPU of this machine would hold it. */
  | {
      readonly kind: 'no';
      readonly type: MatrixType;
      readonly needs: number;
      readonly gives: number;
      readonly why: string;
      readonly elsewhere: boolean;
    };

export interface HereFit {
  readonly parameters: number;
  /** What weights are held in unless someone chooses another type, or what was chosen. */
  readonly held: MatrixType;
  /** Contexts at a time that were asked for. */
  readonly slots: number;
  /** Of every type, in the order of `MATRIX_TYPES`. */
  readonly needs: readonly TypeNeed[];
  readonly verdict: HereVerdict;
}

/** What `config.json` says that the weights are stored in; null where it does not. */
export function storedTypeOf(config: Readonly<Record<string, unknown>>): StoredType | null {
  const told = config['torch_dtype'] ?? config['dtype'];
  if (told === 'float16') return 'f16';
  if (told === 'bfloat16') return 'bf16';
  return told === 'float32' ? 'f32' : null;
}

/** What weights are held in on a device unless someone chooses another type. */
export const heldHere = (
  { config, gguf }: Pick<HereQuestion, 'config' | 'gguf'>,
  device: DeviceLimits['device'],
): MatrixType => gguf?.held ?? matrixTypeFor(storedTypeOf(config) ?? 'f32', device);

/** Bytes of the weights as they are stored, by shape and type; null where the type is not told. */
export function storedBytes(json: Readonly<Record<string, unknown>>): number | null {
  const type = storedTypeOf(json);
  if (type === null) return null;
  return parameterCount(parsePolicyConfig(json)) * (type === 'f32' ? 4 : 2);
}

const limited = (config: PolicyConfig): PolicyConfig => ({
  ...config,
  maxPositions: cacheLimits(config).maxContext,
});

interface Asked {
  readonly config: PolicyConfig;
  readonly keys: StoreType | undefined;
  readonly limits: DeviceLimits;
}

const slotsOf = ({ verdict }: FitPlan, asked: number): number => {
  if (verdict.kind === 'no') return 0;
  return verdict.kind === 'fits' ? asked : verdict.slots;
};

function needOf({ config, keys, limits }: Asked, type: MatrixType): TypeNeed {
  const { maxContext: context, maxSlots } = cacheLimits(config);
  const question = {
    config: limited(config),
    type,
    keys: keys ?? keyTypeFor(limited(config), maxSlots, limits.device),
    context,
    limits,
    train: null,
  };
  const plan = planFit({ ...question, slots: maxSlots });
  const slots = slotsOf(plan, maxSlots);
  const { weightBytes, totalBytes } = slots > 0 ? plan : planFit({ ...question, slots: 1 });
  const why = plan.verdict.kind === 'no' ? plan.verdict.why : null;
  return { type, weightBytes, totalBytes, slots, why };
}

/** The types that come into question, the widest first. */
const typesFrom = (held: MatrixType, chosen: boolean): readonly MatrixType[] =>
  chosen ? [held] : MATRIX_TYPES.slice(MATRIX_TYPES.indexOf(held));

/**
 * What a checkpoint needs on this device, and whether it fits: in the type that it is held in by itself, else in
 * a smaller one. A type that someone chose is the only one that counts.
 * @param gpu what a GPU of this machine is taken to allow, where the device is none
 * @param turn is waited for between two countings, which take some milliseconds each
 * @throws Error that names what of `config.json` is not computed here
 */
export async function fitHere(
  question: HereQuestion,
  limits: DeviceLimits,
  gpu: DeviceLimits | null,
  turn: () => Promise<void>,
): Promise<HereFit> {
  const config = parsePolicyConfig(question.config);
  const { weights, keys } = question;
  const count = async (on: DeviceLimits, types: readonly MatrixType[]): Promise<TypeNeed[]> => {
    const needs: TypeNeed[] = [];
    for (const type of types) {
      await turn();
      needs.push(needOf({ config, keys, limits: on }, type));
    }
    return needs;
  };
  const held = weights ?? heldHere(question, limits.device);
  const needs = await count(limits, MATRIX_TYPES);
  const types = typesFrom(held, weights !== undefined);
  const possible = needs.filter(({ type }) => types.includes(type));
  const facts = {
    parameters: parameterCount(config),
    held,
    slots: cacheLimits(config).maxSlots,
    needs,
  };
  const fits = possible.find(({ slots }) => slots > 0);
  if (fits) return { ...facts, verdict: { kind: 'fits', type: fits.type, slots: fits.slots } };
  const least = possible.reduce((a, b) => (b.totalBytes < a.totalBytes ? b : a));
  const onGpu = gpu ? await count(gpu, [least.type]) : [];
  return {
    ...facts,
    verdict: {
      kind: 'no',
      type: least.type,
      needs: least.totalBytes,
      gives: limits.memory,
      why: least.why ?? '',
      elsewhere: onGpu.some(({ slots }) => slots > 0),
    },
  };
}
