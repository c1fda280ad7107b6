import { z } from 'zod';
import { webSpecSchema, METHOD_IDS } from '../../../retrieval/setup.ts';
import type { LocalSpec, PolicyRef, Resources, Setup, WebSpec } from '../../../records/setup.ts';

/**
 * What a run works with, as an address carries it: names, content hashes and server addresses that mean
 * something on another device too. What is built in is left out. Keys are never part of it, nor is what
 * an address may hide one in: user, password, query.
 */

const name = z.string().max(200);

const linkPolicySchema = z.discriminatedUnion('k', [
  /** `h` names the weights, as a loaded policy does. */
  z.strictObject({ k: z.literal('checkpoint'), n: name, h: name }),
  z.strictObject({ k: z.literal('webllm'), n: name }),
  z.strictObject({ k: z.literal('server'), n: name, u: z.url({ protocol: /^https?$/ }) }),
]);

/** `h`: the beginning of the hash of what it holds. */
const linkCollectionSchema = z.strictObject({ n: name, h: name });
const linkCollectionsSchema = z.array(linkCollectionSchema).min(1).max(50);

const linkSetupSchema = z.strictObject({
  policy: linkPolicySchema.optional(),
  questions: linkCollectionsSchema.optional(),
  local: z
    .strictObject({
      c: linkCollectionsSchema,
      m: z.enum(METHOD_IDS),
      e: name,
      r: name.nullable(),
    })
    .optional(),
  web: webSpecSchema.optional(),
  /** Runs search the local source alone. */
  source: z.literal('local').optional(),
  summarizer: z.union([z.literal('extractive'), linkPolicySchema]).optional(),
  judge: linkPolicySchema.optional(),
});

export type LinkSetup = z.infer<typeof linkSetupSchema>;
type LinkPolicy = z.infer<typeof linkPolicySchema>;
type LinkCollection = z.infer<typeof linkCollectionSchema>;

/** What this device holds, as far as a setup names it. */
export interface DeviceLists {
  collections: readonly { id: string; name: string; hash: string }[];
  checkpoints: readonly { id: string; name: string; revision: string }[];
  resources: Pick<Resources, 'endpoints'>;
}

const HASH_DIGITS = 16;

/** Without the parts that may hold a secret. */
const bare = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
};

/** Reads the text of an address. @throws Error where it is none */
export const parseLink = (text: string): LinkSetup => linkSetupSchema.parse(JSON.parse(text));

/** One text for one setup; empty where everything is built in. */
export function formatLink(link: LinkSetup): string {
  const { policy, questions, local, web, summarizer, judge, source } = link;
  const text = JSON.stringify({ policy, questions, local, web, summarizer, judge, source });
  return text === '{}' ? '' : text;
}

function describePolicy(ref: PolicyRef, lists: DeviceLists): LinkPolicy | undefined {
  switch (ref.kind) {
    case 'built-in':
      return undefined;
    case 'webllm':
      return { k: 'webllm', n: ref.id };
    case 'checkpoint': {
      const found = lists.checkpoints.find(({ id }) => id === ref.id);
      return { k: 'checkpoint', n: found?.name ?? ref.id, h: found?.revision ?? '' };
    }
    case 'endpoint': {
      const found = lists.resources.endpoints.find(({ id }) => id === ref.id);
      return found && { k: 'server', n: found.model, u: bare(found.url) };
    }
  }
}

const describeCollections = (ids: readonly string[], lists: DeviceLists): LinkCollection[] =>
  ids.map((id) => {
    const found = lists.collections.find((one) => one.id === id);
    return { n: found?.name ?? id, h: found?.hash.slice(0, HASH_DIGITS) ?? '' };
  });

const describeWeb = (web: WebSpec): WebSpec | undefined =>
  'url' in web ? { kind: web.kind, url: bare(web.url) } : undefined;

const describeLocal = (local: LocalSpec, lists: DeviceLists): LinkSetup['local'] =>
  local.kind === 'built-in'
    ? undefined
    : {
        c: describeCollections(local.ids, lists),
        m: local.method,
        e: local.encoder,
        r: local.reranker,
      };

/** What an address says of a setup of this device. */
export function describeSetup(setup: Setup, lists: DeviceLists): LinkSetup {
  const { questions, summarizer, judge } = setup;
  const parts = {
    policy: describePolicy(setup.policy, lists),
    questions:
      questions.kind === 'built-in' ? undefined : describeCollections(questions.ids, lists),
    local: describeLocal(setup.local, lists),
    web: describeWeb(setup.web),
    source: setup.source === 'local' ? setup.source : undefined,
    summarizer:
      summarizer.kind === 'model'
        ? describePolicy(summarizer.policy, lists)
        : summarizer.kind === 'extractive'
          ? summarizer.kind
          : undefined,
    judge: judge.kind === 'model' ? describePolicy(judge.policy, lists) : undefined,
  };
  // Fields that are absent, not undefined.
  return linkSetupSchema.parse(JSON.parse(JSON.stringify(parts)));
}

/** A part that is not on this device, as text with what to do. */
export type Missing = string;

function findPolicy(link: LinkPolicy | undefined, lists: DeviceLists): PolicyRef | Missing {
  if (!link) return { kind: 'built-in' };
  if (link.k === 'webllm') return { kind: 'webllm', id: link.n };
  if (link.k === 'server') {
    const { endpoints } = lists.resources;
    const found = endpoints.find(({ url, model }) => bare(url) === link.u && model === link.n);
    return found
      ? { kind: 'endpoint', id: found.id }
      : `the server of ${link.n} at ${link.u}: add it on Models`;
  }
  const found = lists.checkpoints.find(({ revision }) => revision === link.h);
  return found
    ? { kind: 'checkpoint', id: found.id }
    : `the checkpoint “${link.n}”: add it on Models`;
}

function findCollections(
  wanted: readonly LinkCollection[],
  { collections }: DeviceLists,
): string[] | Missing {
  const ids: string[] = [];
  for (const { n, h } of wanted) {
    const same = collections.filter(({ hash }) => h !== '' && hash.startsWith(h));
    const found = same.find((one) => one.name === n) ?? same[0];
    if (!found) return `the collection “${n}”: import its files on Corpus`;
    ids.push(found.id);
  }
  return ids;
}

/** An address’s setup as far as this device has it. */
export interface ResolvedSetup {
  /** The address's, and this device's own where a part is not here. */
  setup: Setup;
  missing: Missing[];
}

/** What an address says, on this device. @param own what is chosen here */
export function resolveSetup(link: LinkSetup, lists: DeviceLists, own: Setup): ResolvedSetup {
  const missing = new Set<Missing>();
  const orOwn = <T, F>(found: T | Missing, use: (value: T) => F, mine: F): F => {
    if (typeof found !== 'string') return use(found);
    missing.add(found);
    return mine;
  };
  const { local, questions, summarizer, judge } = link;
  const isHere = !local || typeof findCollections(local.c, lists) !== 'string';
  const setup: Setup = {
    policy: orOwn(findPolicy(link.policy, lists), (ref) => ref, own.policy),
    local: !local
      ? { kind: 'built-in' }
      : orOwn(
          findCollections(local.c, lists),
          (ids): LocalSpec => ({
            kind: 'collections',
            ids,
            method: local.m,
            encoder: local.e,
            reranker: local.r,
          }),
          own.local,
        ),
    // What is not here is not searched: then this device's own choice stays.
    source: isHere ? (link.source ?? 'recipe') : own.source,
    // An address with more in it than a link may say is this device's own.
    web: formatWeb(link.web) === formatWeb(describeWeb(own.web)) ? own.web : (link.web ?? BUILT_IN),
    questions: !questions
      ? BUILT_IN
      : orOwn(
          findCollections(questions, lists),
          (ids): Setup['questions'] => ({ kind: 'collections', ids }),
          own.questions,
        ),
    summarizer: !summarizer
      ? { kind: 'off' }
      : summarizer === 'extractive'
        ? { kind: 'extractive' }
        : orOwn(
            findPolicy(summarizer, lists),
            (policy): Setup['summarizer'] => ({ kind: 'model', policy }),
            own.summarizer,
          ),
    judge: !judge
      ? { kind: 'off' }
      : orOwn(
          findPolicy(judge, lists),
          (policy): Setup['judge'] => ({ kind: 'model', policy }),
          own.judge,
        ),
  };
  return { setup, missing: [...missing] };
}

const BUILT_IN = { kind: 'built-in' } as const;
const formatWeb = (web: WebSpec | undefined): string => JSON.stringify(web ?? BUILT_IN);

/* As text. */

const policyWords = (policy: LinkPolicy | undefined, none: string): string => {
  if (!policy) return none;
  return policy.k === 'server' ? `${policy.n} at ${new URL(policy.u).host}` : policy.n;
};

const namesOf = (collections: readonly LinkCollection[]): string =>
  collections.map(({ n }) => n).join(', ');

const localWords = (link: LinkSetup): string => {
  const { local, source } = link;
  if (!local) return 'built-in world';
  const { c, m, e, r } = local;
  const how = m === 'lexical' ? m : `${m}, ${e}`;
  return `${namesOf(c)} (${how}${r === null ? '' : `, reranked by ${r}`})${source ? ', only these' : ''}`;
};

const webWords = (link: LinkSetup): string => {
  const { web } = link;
  return web && 'url' in web ? `${web.kind} at ${web.url}` : 'built-in web';
};

/** A part of a setup with what it is, both as text. */
export interface PartWords {
  part: string;
  words: string;
}

/** Every part, in one order. */
export const linkWords = (link: LinkSetup): PartWords[] => [
  { part: 'model', words: policyWords(link.policy, 'built-in') },
  {
    part: 'questions',
    words: link.questions ? namesOf(link.questions) : 'built-in world',
  },
  { part: 'passages', words: localWords(link) },
  { part: 'web', words: webWords(link) },
  {
    part: 'summarizer',
    words: link.summarizer === 'extractive' ? 'extractive' : policyWords(link.summarizer, 'off'),
  },
  { part: 'judge', words: policyWords(link.judge, 'off') },
];
