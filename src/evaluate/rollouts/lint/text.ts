import { boxesIn } from '../../../formats/rollouts/protocols/boxes.ts';
import { promptAndResponse } from '../../../formats/rollouts/write.ts';
import { protocolOf, type TextSpan } from '../../../formats/rollouts/rounds.ts';
import type { ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import type { Protocol } from '../../../formats/rollouts/protocols/protocol.ts';
import { environmentBlock } from '../../../formats/rollouts/protocols/split.ts';
import { normalizeAnswer } from '../../../agent/answers/normalisers.ts';
import { evidenceSegments } from './facts.ts';
import { finding, wholeSpan, type Finding } from './finding.ts';

/** Faults that show in the text: blocks of the environment, and how the answer was extracted. */

const environmentRules = (protocol: Protocol | null) =>
  protocol?.blocks.filter(({ source, role }) => source === 'environment' && role !== 'hint') ?? [];

/** Results that open and never close. */
export function observationCut(rollout: ImportedRollout): Finding[] {
  const protocol = protocolOf(rollout);
  return evidenceSegments(rollout).flatMap((i) => {
    const block = protocol && environmentBlock(rollout.segments[i]?.text ?? '', protocol);
    if (!block || block.endsClosed) return [];
    const { rule } = block;
    const message = `The block opens with ${rule.open} and ends without ${rule.close}.`;
    return [finding(rollout, 'observation-cut', message, [wholeSpan(rollout, i)])];
  });
}

/**
 * Closing tags inside a result. With token ids the tag counts where its own id stands before the end,
 * so that a tag merely spelt in a document is none. In imported text the block has ended there, and its
 * closing tag is left over in what then counts as the policy's words.
 */
export function resultEndedEarly(rollout: ImportedRollout): Finding[] {
  const protocol = protocolOf(rollout);
  const rules = environmentRules(protocol);
  const findings: Finding[] = [];
  const report = (where: TextSpan, tag: string): void =>
    void findings.push(
      finding(rollout, 'result-ended-early', `${tag} is here, but its block ended before.`, [
        where,
      ]),
    );
  rollout.segments.forEach(({ source, text, ids }, i) => {
    const block = source === 'environment' && protocol ? environmentBlock(text, protocol) : null;
    if (block && block.rule.role !== 'hint') {
      const { rule, close, closesOnce } = block;
      const last = ids?.at(-1);
      const early = ids
        ? text.endsWith(rule.close) && last !== undefined && ids.indexOf(last) < ids.length - 1
        : close !== null && !closesOnce;
      if (early) {
        const start = close ?? 0;
        report({ segment: i, start, end: start + rule.close.length }, rule.close);
      }
    }
    if (source !== 'policy' || !rollout.origin || i < rollout.origin.responseAt) return;
    for (const { close } of rules) {
      const at = text.indexOf(close);
      if (at >= 0) report({ segment: i, start: at, end: at + close.length }, close);
    }
  });
  return findings;
}

/** An answer block that opens and never closes, where the rollout ends in it. */
export function answerNotClosed(rollout: ImportedRollout): Finding[] {
  const rules = protocolOf(rollout)?.blocks.filter(({ role }) => role === 'answer') ?? [];
  const at = rollout.segments.findLastIndex(({ text }) => text.trim() !== '');
  const last = rollout.segments[at];
  if (last?.source !== 'policy' || last.role !== 'answer' || rollout.answer === null) return [];
  const text = last.text.trim();
  const rule = rules.find(({ open }) => text.startsWith(open));
  if (!rule || text.includes(rule.close)) return [];
  const message = `The answer opens with ${rule.open} and the rollout ends without ${rule.close}.`;
  return [finding(rollout, 'answer-not-closed', message, [wholeSpan(rollout, at)])];
}

const unbalanced = (text: string): boolean => {
  let depth = 0;
  for (const char of text) {
    if (char === '{') depth++;
    if (char === '}' && --depth < 0) return true;
  }
  return depth !== 0;
};

/** An answer that holds what is between two boxes. */
export function greedyBox(rollout: ImportedRollout): Finding[] {
  const { answer, segments } = rollout;
  if (answer === null || !(answer.includes('\\boxed') || unbalanced(answer))) return [];
  const boxes = segments.flatMap(({ source, text }, segment): TextSpan[] =>
    source === 'policy'
      ? boxesIn(text).map((box) => ({
          segment,
          start: box.start,
          end: box.start + box.text.length,
        }))
      : [],
  );
  if (boxes.length < 2) return [];
  const message = `The answer is "${answer.slice(0, 120)}": it runs over ${boxes.length} boxes.`;
  return [finding(rollout, 'greedy-box', message, boxes)];
}

// Up to the nearest opening tag: instructions name the tag before they show an example of it.
const ANSWER_BLOCK =
  /<((?:short_|long_)?answer)>((?:(?!<(?:short_|long_)?answer>)[\s\S])*?)<\/\1>/g;

/** Everything that a text gives as an answer: contents of answer blocks and of boxes. */
function answersIn(text: string): { text: string; start: number }[] {
  const blocks = [...text.matchAll(ANSWER_BLOCK)].map((match) => {
    const [, tag = '', inner = ''] = match;
    const lead = inner.length - inner.trimStart().length;
    return { text: inner.trim(), start: match.index + tag.length + 2 + lead };
  });
  return [...blocks, ...boxesIn(text)];
}

/** An answer that is in an answer block of the prompt and in none of the response. */
export function answerFromPrompt(rollout: ImportedRollout): Finding[] {
  const wanted = rollout.answer === null ? '' : normalizeAnswer(rollout.answer);
  if (wanted === '') return [];
  const { prompt, response } = promptAndResponse(rollout);
  const same = ({ text }: { text: string }): boolean => normalizeAnswer(text) === wanted;
  if (answersIn(response.map(({ text }) => text).join('')).some(same)) return [];
  return prompt.flatMap((segment, i) => {
    const example = segment.source === 'prompt' ? answersIn(segment.text).find(same) : undefined;
    if (!example) return [];
    const where = { segment: i, start: example.start, end: example.start + example.text.length };
    const message = `"${rollout.answer}" is the prompt's example; the response gives no such answer.`;
    return [finding(rollout, 'answer-from-prompt', message, [where])];
  });
}
