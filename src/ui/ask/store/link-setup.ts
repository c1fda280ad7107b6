import { z } from 'zod';
import { webSpecSchema, METHOD_IDS } from '../../../retrieval/setup.ts';
import type { LocalSpec, PolicyRef, Resources, Setup, WebSpec } from '../../../records/setup.ts';

/**
 * The setup of a run in an address: names, content hashes and server addresses that are valid on other
 * devices. Built-in parts are omitted. Secrets are never included: keys, or user, password and query
 * of an address.
 */

const name = z.string().max(200);

const linkPolicySchema = z.discriminatedUnion('k', [
  /** `h`: hash of the weights, as in a loaded policy. */
  z.strictObject({ k: z.literal('checkpoint'), n: name, h: name }),
  z.strictObject({ k: z.literal('webllm'), n: name }),
  z.strictObject({ k: z.literal('server'), n: name, u: z.url({ protocol: /^https?$/ }) }),
]);

/** `h`: start of the content hash. */
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
  /** Runs search only the local source. */
  source: z.literal('local').optional(),
  summarizer: z.union([z.literal('extractive'), linkPolicySchema]).optional(),
  judge: linkPolicySchema.optional(),
});

export type LinkSetup = z.infer<typeof linkSetupSchema>;
type LinkPolicy = z.infer<typeof linkPolicySchema>;
type LinkCollection = z.infer<typeof linkCollectionSchema>;

/** The parts of a setup that this device stores. */
export interface DeviceLists {
  collections: readonly { id: string; name: string; hash: string }[];
  checkpoints: readonly { id: string; name: string; revision: string }[];
  resources: Pick<Resources, 'endpoints'>;
}

const HASH_DIGITS = 16;

/** Without parts that may hold a secret. */
const bare = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
};

/**
 * Parses the text of an address.
 * @throws Error if it is invalid
 */
export const parseLink = (text: string): LinkSetup => linkSetupSchema.parse(JSON.parse(text));

/** One text per setup; empty if everything is built in. */
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

/** The setup of this device as an address states it. */
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
  // Absent fields, not undefined ones.
  return linkSetupSchema.parse(JSON.parse(JSON.stringify(parts)));
}

/** A part that is missing on this device, as text with what to do. */
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
  linkedCollections: readonly LinkCollection[],
  { collections }: DeviceLists,
): string[] | Missing {
  const ids: string[] = [];
  for (const { n, h } of linkedCollections) {
    const same = collections.filter(({ hash }) => h !== '' && hash.startsWith(h));
    const found = same.find((one) => one.name === n) ?? same[0];
    if (!found) return `the collection “${n}”: import its files on Corpus`;
    ids.push(found.id);
  }
  return ids;
}

/** The setup of an address, as far as this device has its parts. */
export interface ResolvedSetup {
  /** Parts of the address; for missing parts, this device's own. */
  setup: Setup;
  missing: Missing[];
}

/**
 * Resolves the setup of an address on this device.
 * @param own the setup chosen here
 */
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
    // Missing collections are not searched: this device's own choice is kept.
    source: isHere ? (link.source ?? 'recipe') : own.source,
    // An address with a user, password or query is this device's own.
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

/** One part of a setup with its value, as text. */
export interface PartWords {
  part: string;
  words: string;
}

/** All parts, in a fixed order. */
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
