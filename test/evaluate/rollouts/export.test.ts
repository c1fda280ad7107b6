import { beforeAll, describe, expect, it } from 'vitest';
import type { ImportedRollout } from '../../../src/formats/rollouts/shape/imported.ts';
import {
  htmlText,
  markdownBlock,
  markdownText,
} from '../../../src/evaluate/rollouts/export/escape.ts';
import { rolloutHtml } from '../../../src/evaluate/rollouts/export/html.ts';
import { rolloutMarkdown } from '../../../src/evaluate/rollouts/export/markdown.ts';
import { rolloutsOf } from '../../formats/rollouts/helpers.ts';
import { hostileFiles, PAYLOADS } from '../../fixtures/inspect/payloads.ts';

let hostile: ImportedRollout[] = [];
beforeAll(async () => {
  for (const text of Object.values(hostileFiles()))
    hostile.push(...(await rolloutsOf(new Blob([text]))));
});

const TAGS = new Set(
  '!doctype html head meta title style body main header h1 h2 h3 p b small span section ol li details summary table tr th td div mark u'.split(
    ' ',
  ),
);
const ATTRIBUTES = new Set([
  'class',
  'title',
  'lang',
  'charset',
  'name',
  'content',
  'http-equiv',
  'open',
]);

/** Every tag of a document with its attributes; a text may hold no other angle bracket. */
function* tagsOf(html: string): Generator<{ tag: string; attributes: string[] }> {
  for (const [, closing, tag, rest] of html.matchAll(/<(\/?)([!a-zA-Z][\w-]*)((?:\s+[^<>]*)?)>/g)) {
    const names = [...(rest ?? '').matchAll(/([\w-]+)(?:="[^"]*"|(?=\s|$))/g)].map(
      ([, name]) => name!,
    );
    yield { tag: tag!.toLowerCase(), attributes: closing ? [] : names };
  }
}

it('has two hundred payloads and more', () => {
  expect(PAYLOADS.length).toBeGreaterThanOrEqual(200);
});

describe('the HTML of a hostile rollout', () => {
  it('holds no tag and no attribute but its own, and no angle bracket outside them', () => {
    for (const rollout of hostile) {
      const html = rolloutHtml(rollout).replace(/<style>[^<]*<\/style>/, '<style></style>');
      for (const { tag, attributes } of tagsOf(html)) {
        if (!TAGS.has(tag)) expect.fail(`<${tag}>`);
        const foreign = attributes.filter((name) => !ATTRIBUTES.has(name));
        if (tag !== '!doctype' && foreign.length > 0) expect.fail(`<${tag} ${foreign.join(' ')}>`);
      }
      const bare = html.replaceAll(/<\/?[!a-zA-Z][\w-]*(?:\s+[^<>]*)?>/g, '');
      expect(/[<>]/.exec(bare)).toBeNull();
    }
  });

  it('forbids scripts and requests before anything else', () => {
    const html = rolloutHtml(hostile[0]!);
    const policy = html.indexOf("default-src 'none'");
    expect(policy).toBeGreaterThan(0);
    expect(policy).toBeLessThan(html.indexOf('<title>'));
    expect(/<script|<link|<img/.test(html)).toBe(false);
  });

  it('is readable: question, gold, answer, rounds, scores and tokens', async () => {
    const [one] = await rolloutsOf(
      new Blob([
        `${JSON.stringify({
          prompt: 'Question: where?',
          response: '<think>a</think><answer>Lima</answer>',
          response_tokens: ['<think>', 'a', '</think>', '<answer>', 'Lima', '</answer>'],
          logprobs: [-1, -2, -1, -1, -0.5, -1],
          reward: 1,
          step: 1,
          ground_truth: 'Lima',
        })}\n`,
      ]),
    );
    const html = rolloutHtml(one!);
    expect(html).toContain('<h1>where?</h1>');
    expect(html).toContain('Gold <b>Lima</b>');
    expect(html).toContain('<summary>Answer</summary>');
    expect(html).toContain('Search-R1, EM');
    expect(html).toMatch(/title="\d+: policy, answer · log-probability −0.5"[^>]*>Lima</);
  });
});

describe('the Markdown of a hostile rollout', () => {
  it('keeps all text in fences that nothing in it can close, and no markup in its lines', () => {
    for (const rollout of hostile) {
      let fence: string | null = null;
      for (const line of rolloutMarkdown(rollout).split('\n')) {
        const run = /^(`{3,})(text)?$/.exec(line);
        if (fence === null && run?.[2]) fence = run[1]!;
        else if (fence !== null && line === fence) fence = null;
        else if (fence === null) {
          const bare = line.replaceAll(/\\[^\w\s]/g, '');
          expect(bare).not.toMatch(/<|!\[|\]\(|javascript:|https?:\/\//);
        }
      }
      expect(fence).toBeNull();
    }
  });
});

it('escapes one by one', () => {
  expect(htmlText(`<a href="x" b='y'>&\``)).toBe(
    '&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;&#96;',
  );
  expect(markdownText('![x](y)\n# <b>')).toBe(String.raw`\!\[x\]\(y\) \# \<b\>`);
  expect(markdownBlock('a ````` b').split('\n')[0]).toBe('``````text');
});
