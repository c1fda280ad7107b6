import type { LoopHooks } from '../../agent/hooks.ts';
import type { Steps } from '../../agent/steps.ts';
import { passagesAndQuestion } from '../../agent/transcript/aside.ts';
import type { Hit } from '../../records/hits.ts';
import type { Params } from './system.ts';

/** RAT: the draft's steps, one claim each; the last ones give way where they are too many. */
export const claimsOf = (draft: string, most: number): string[] =>
  draft
    .split(/\n+|(?<=[.!?])\s+/u)
    .map((claim) => claim.trim())
    .filter((claim) => /[\p{L}\p{N}]/u.test(claim))
    .slice(0, most);

const DRAFT =
  'Think step by step about the question and write what you think the answer is, one sentence a line, each a fact that could be looked up.';
const QUERY =
  'Write one search query that would confirm or correct the last statement of the draft. Write the query alone.';
const REVISE =
  'Correct the draft where the passages say something else, and complete it where they say more. Keep what they do not speak of. Write the revised draft alone.';

const draftText = (s: Steps, draft: string): string => `Question: ${s.question}\n\nDraft: ${draft}`;

/** What is looked up for the last claim of the draft so far. */
async function queryFor(s: Steps, claim: string, sofar: string): Promise<string> {
  const user = draftText(s, sofar);
  const { text } = await s.ask({ of: 'query', instruction: QUERY, user, maxTokens: 48 });
  return text.split('\n')[0]?.trim() || claim;
}

/** The draft so far, revised with passages. */
async function revised(
  s: Steps,
  sofar: string,
  hits: readonly Hit[],
  maxTokens: number,
): Promise<string> {
  const user = passagesAndQuestion(s.passages(hits), `${s.question}\n\nDraft: ${sofar}`);
  const { text } = await s.ask({ of: 'revision', instruction: REVISE, user, maxTokens });
  return text || sofar;
}

const NAMED = /\p{Lu}[\p{L}\p{N}'’-]*(?:\s+\p{Lu}[\p{L}\p{N}'’-]*)*/gu;

/** What a question names, without the word that opens it. */
const namesOf = (question: string): string =>
  [...question.slice(1).matchAll(NAMED)].map(([name]) => name).join(' ');

/**
 * For a policy that knows no drafts: its first thought plans what to find out; each part is asked of what is so
 * far, and the reader's answer stands next.
 */
async function byPlan(s: Steps, { most }: Params): Promise<void> {
  const plan = await s.first('draft', 'search', 'think');
  const parts = plan
    .replace(/^\s*plan\s*:/u, '')
    .split(/[,.]/u)
    .map((part) => part.trim())
    .filter(Boolean)
    .slice(0, most);
  let sofar = namesOf(s.question);
  let query = s.question;
  for (const [i, part] of parts.entries()) {
    query = /\p{Lu}/u.test(part) ? part : `${part} of ${sofar}`;
    if (i === parts.length - 1 || !s.canSearch()) break;
    const hits = await s.find(query);
    if (hits.length > 0) sofar = (await s.read(query, hits)).text || sofar;
  }
  await s.open();
  if (s.canSearch()) await s.search(query, false);
  await s.answer();
}

/** Claim by claim, with a policy that is asked in natural language. */
async function inWords(s: Steps, { maxTokens, most }: Params): Promise<void> {
  const { text } = await s.ask({ of: 'draft', instruction: DRAFT, user: s.question, maxTokens });
  const claims = claimsOf(text, most);
  let sofar = '';
  let query = s.question;
  for (const [i, claim] of claims.entries()) {
    if (!s.canSearch()) break;
    sofar = `${sofar} ${claim}`.trim();
    query = await queryFor(s, claim, sofar);
    if (i === claims.length - 1) break;
    const hits = await s.find(query);
    if (hits.length > 0) sofar = await revised(s, sofar, hits, maxTokens);
  }
  await s.open();
  if (sofar !== '') s.hint(`Draft so far: ${sofar}`);
  if (s.canSearch()) await s.search(query, false);
  await s.answer();
}

/**
 * A draft from memory; then claim by claim a query, passages and a revision of all so far. The last revision is the
 * record's context. A step whose search brings nothing, because it failed or took too long, is skipped, as in its code: its
 * claim stands unrevised.
 */
export const hooks = (params: Params): LoopHooks => ({
  program: (s) => (s.spelling === 'ids' ? byPlan(s, params) : inWords(s, params)),
});
